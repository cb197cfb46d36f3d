package main

import (
	"github.com/troupe-go/troupe/event"
	"github.com/troupe-go/troupe/replay"
	"github.com/troupe-go/troupe/transcript"
)

var wordsZH = words{ //nolint:gosec // names of variables that hold keys, no keys
	lang: zh,
	short: map[string]string{ //nolint:gosec // words about tokens, no tokens
		"":             "Troupe 运行由语言模型智能体组成的团队。",
		"run":          "让团队完成一个任务，显示过程，输出结果",
		"chat":         "在终端中与团队多轮对话，都在一个运行中",
		"resume":       "让已经结束的运行真正继续，无论它因何结束",
		"init":         "写入 team.yaml、roles/ 和 .env.example，作为开始",
		"check":        "解析并校验全部内容，不调用模型",
		"answer":       "回答挂起的运行提出的问题，或批准、拒绝一次工具调用",
		"runs":         "过去的运行：list、show、export、cost、repair、rm",
		"runs cost":    "token 和费用：按智能体、按模型、合计",
		"runs repair":  "从损坏的日志中保留完好的部分",
		"runs rm":      "永久删除运行",
		"runs list":    "列出运行，新的在前",
		"runs show":    "一次运行做了什么：智能体、token、提问、文件",
		"runs export":  "把一次运行写成一个文档：Markdown、HTML 或 JSON",
		"replay":       "回放一次运行，不调用模型",
		"diff":         "两次运行从哪里开始不同：按智能体，以及代价",
		"models":       "有哪些模型，找到了哪些密钥",
		"models probe": "向一个端点提问：什么可用，哪种配置合适",
		"models list":  "列出提供商、密钥、本机服务器和团队的模型",
		"schema":       "team.yaml、日志记录或协议的 JSON Schema",
		"completion":   "输出 shell 的补全脚本",
		"version":      "输出版本",
		"help":         "查看命令的帮助",

		"serve":       "向聊天前端和其他程序提供团队服务",
		"serve token": "签发一个服务器在一段时间内接受的令牌",

		"dial": "连接服务器，原样打印它说的话，发送输入的内容",

		"worker": "从 Redis Streams 接收任务，供 by-framework 的智能体和客户端使用",

		"queue":         "Redis Streams 上智能体的任务：send、tail、pending、claim、resume、cancel",
		"queue send":    "给一种智能体发任务",
		"queue tail":    "显示智能体在会话中所说的内容",
		"queue pending": "工作进程手中或遗留的条目",
		"queue claim":   "把死去的工作进程遗留的条目交给在线的",
		"queue resume":  "回答在等用户的任务",
		"queue cancel":  "取消任务及其下的所有任务，或整个会话",

		"envelope":         "标准信封的消息：check、convert、explain",
		"envelope check":   "校验消息，每条一行：ok、missing、extra、text、repeat 或 invalid",
		"envelope convert": "在信封与其他框架的字段名之间转换消息",
		"envelope explain": "逐步查看一条消息：字段名、多余字段、版本、去重",
	},
	long: map[string]string{ //nolint:gosec // words about tokens, no tokens
		"run": `任务来自参数或标准输入；两者都有时，参数是指令，标准输入是上下文。
结果写到标准输出，其余都写到标准错误。团队文件是本文件夹或上级文件夹中的
team.yaml。没有团队文件也没有 -m 时，由脚本在你的文件夹上演示，
不调用模型，不产生费用。Ctrl-C 轻停，再按一次立即停。`,
		"chat": `第一条之后的每条消息都在同一个运行中继续：负责人和所有智能体都记得。他们工作时，
输入的内容发给负责人。没有终端时，标准输入的每一行是一条消息，回答写到标准输出。
Ctrl-C 停止这一轮，对话保留。`,
		"resume": `运行在自己的日志中继续，团队、对话和收件箱都是原来的：崩溃、Ctrl-C、限额、失败或提问
之后都可以。补充的指令是给负责人的消息；已经完成的运行必须给出。标准输入是上下文，
写 - 时就是指令。已经做完的调用不会再做。团队以日志为准；-m 和 --limits 更换模型和
限额，团队文件中只有密钥（.env）、display 和 transcript 有效。

--fork 用这个运行的开头另建一个运行，由 --edit 更改后从那里继续；这个运行保持不变。
--edit 可以更改任务、消息、回答、工具的结果、模型的回复，以及角色的提示词或模型。`,
		"check": `退出码 2 表示文件有错，3 表示模型不可用。`,
		"replay": `RUN 是运行编号的开头、last、last~1，或日志的路径。
仍在进行的运行会跟随到结束。FILE 也可以是其他程序的记录：OpenAI 形式的对话消息
（JSON 或逐行 JSON），或 Claude Code 的会话（~/.claude/projects/…/SESSION.jsonl）。
给出 --verify 时什么也不显示：每个智能体都以记录中从外部到来的内容重新执行，
并比对它所做的事。不调用任何模型和工具。退出码 1 表示有不同。`,
		"runs export": `文档写到标准输出，或写入 -o 的文件。Markdown 和 HTML 供人阅读：任务、
每条消息、折叠的工具调用、各智能体的费用和结果；HTML 是一个独立的页面。
JSON 是一个对象，有同样的内容和全部记录（troupe schema export）。
当前设置的密钥的值会再次遮盖。FILE 也可以是其他程序的记录，与 troupe replay 相同。`,
		"diff": `A 和 B 是运行，写法同 replay。每个智能体按自己的顺序比较：
智能体之间的先后、时间和编号中的数字都不算不同。因别的智能体先不同
而引起的，会注明由谁引起。相同时没有输出；退出码 1 表示不同。`,
		"answer": `RUN 是运行 id 的开头、last、last~1 或日志的路径；该运行已挂起，或它的进程已不在。
ID 是问题或审批的 id。TEXT 是回答，- 表示标准输入；对于审批，它是 allow（允许）、
always（本次运行中总是允许同样的调用），或 deny（拒绝）加理由。回答写入日志，
troupe resume 据此继续。`,
		"models probe": `MODEL 是团队文件中的名字，或 provider/model；不给时提问团队的模型，
或运行时会采用的模型。问题简短无害，只用几百个 token。
退出码 3 表示那里没有应答，或密钥被拒绝。`,
		"runs cost": `不给 RUN 时合计所有运行。~ 表示提供商没有给出数量、由我们估算；
— 表示不知道价格。`,
		"runs repair": `原来的日志保留在旁边。丢失的记录由一条警告代替，其余记录的编号不变。`,
		"runs rm": `正在进行的运行从不删除。--older-than 删除已结束的运行；
还可以继续的会列出并保留。`,
		"serve": `每种协议由它的选项或团队文件 serve: 下的键启用。没有令牌时服务器只在本机监听。
一个会话就是运行记录文件夹中的一次运行：可用 troupe replay 查看；服务器启动时会继续
上一个服务器结束时中断的会话。SIGTERM 和 Ctrl-C 让进行中的步骤做完（最多 grace），
然后暂停所有会话。

团队文件的 serve: 下可以写 listen、tls_cert、tls_key、tokens（用户: 变量名）、
token_key_env、token_life、workspace、audit、origins、hosts、max_sessions、grace、
limits（connections、connections_per_user、files_per_user、messages_per_second、
message_burst、bytes_per_second、byte_burst）、client（path）、studio（path、on_disconnect、
verbose、iterations）和 envelope（path、tools、dedupe_ttl、wait、
dialects）。`,
		"serve token": `令牌用团队文件 serve.token_key_env 指定的变量中的密钥签名，写到标准输出，
有效期为 serve.token_life 或 --life。`,
		"dial": `收到的每条消息占标准输出一行；发送的内容和其他信息写到标准错误。依次发送 TEXT、
--send 文件中的消息和标准输入的各行：JSON 对象原样发送，文本按协议包装。studio 协议中
一行文本是一次提问，或在回答进行中补充说明；回答结束后，下一行在同一会话中开始新的回答。
client 协议中一行文本是会话的一次提问，ping 会自动应答。
不给 --protocol 时由路径判断。令牌取自 TROUPE_TOKEN 或 --token-env 指定的变量。
退出码 1 表示服务器拒绝或断开。`,
		"queue send": `TYPE 是智能体的类型；TEXT 是任务，- 表示从标准输入读。消息编号写到标准输出。没有工作进程
在线的类型会报错，什么也不发送。已发送过的消息编号不会再次发送。加 --follow 时任务显示在
标准错误上，结果写到标准输出；退出码 6 表示它在问用户。`,
		"queue tail": `从头显示会话，或从 --from 之后的条目开始。给出 --reader 时，位置以该名称保存在 Redis 中，
下次从那里继续。除非给出 --no-follow，否则一直等待新内容，直到 Ctrl-C。`,
		"queue claim": `死去的工作进程遗留的条目，闲置一段时间后会自动由其他的接手；本命令不必等待。
工作进程还在线的条目从不拿走。`,
		"queue resume": `MESSAGE 是提问的任务的编号，troupe queue tail 会显示。TEXT 是回答，- 表示从标准输入读。
对需要许可的调用，回答 是、总是，或 否 加理由。`,
		"worker": `一个任务是团队在一个会话中的一轮；会话由用户、智能体类型和会话编号确定。团队所说、
所问、所做都写入会话的数据流。智能体类型和 --run-dir 相同的工作进程，其中一个死去时由其余
的接手。SIGTERM 和 Ctrl-C 让任务做完（最多 --drain），其余的交还；再按一次 Ctrl-C 立即交还。
任务状态的每次变化在标准输出上占一行，日志在标准错误上。

` + redisHelpZH + `

团队文件的 worker: 下可以写 redis、agent_type、id、group、schema、concurrency、max_deliver、
drain、lease、events 和 health。`,
		"queue": redisHelpZH,
		"envelope check": `FILE 每行一条消息；- 或不给时读标准输入。跨多行的消息以单独一行 { 开始，
以单独一行 } 结束。编号与之前的消息相同的是 repeat。
退出码 1 表示有消息被拒绝（missing、invalid）。`,
		"envelope convert": `DIALECT 是 envelope、内置的 to-content 或 target-task，
或由 --map 给出的映射文件定义。消息写到标准输出，每行一条；
不能转换的写到标准错误，退出码 1；另一种形式容纳不下的字段也会列出。`,
		"envelope explain": `FILE 与 check 相同。版本不认识时，其余各步都不再要紧：
这样的消息按文本来读。`,
		"schema": `默认是 team.yaml 的 schema；record 是日志记录的，export 是
troupe runs export --format json 的，client、studio 和 envelope
是这些协议的消息的。`,
	},
	flags: map[string]string{ //nolint:gosec // words about tokens, no tokens
		"lang":          "程序和提示词的语言 `LANG`：zh、en 或 auto（按区域设置）",
		"color":         "何时使用颜色 `WHEN`：auto、always 或 never",
		"no-input":      "从不提问，不移动光标",
		"file":          "团队文件 `FILE`",
		"model":         "所有人使用的模型 `MODEL`，代替团队文件中的：provider/model",
		"param":         "设置团队文件的参数：`NAME=VALUE`",
		"format":        "文档的格式 `FORM`：md、html 或 json（默认 md）",
		"output":        "写入文件 `FILE`：运行的结果（同时写到标准输出），或文档",
		"demo":          "脚本演示，不调用模型",
		"view":          "消息的显示方式 `VIEW`：auto、bubbles 或 lines",
		"output-format": "标准输出的格式 `FORM`：text、json（一个结果）或 jsonl（日志记录）",
		"run-dir":       "存放运行的文件夹 `DIR`",
		"listen":        "监听地址 `ADDRESS`，主机:端口（默认 127.0.0.1:8787）",
		"tls-cert":      "PEM 格式的证书链文件 `FILE`",
		"tls-key":       "证书密钥的文件 `FILE`",
		"origins":       "可以使用服务器的网页来源 `ORIGIN`；可用逗号分隔或重复",
		"hosts":         "访问服务器所用的名称 `NAME`；可用逗号分隔或重复（默认：任何名称）",
		"workspace":     "客户端可以让智能体工作的文件夹 `DIR`（默认：当前文件夹）",
		"audit":         "记录谁做了什么的文件 `FILE`（默认：运行记录旁的 audit.jsonl）",
		"log-level":     "标准错误上日志的级别 `LEVEL`：debug、info、warn、error 或 off（默认 info）",
		"client":        "client 协议，位于 `PATH`",
		"studio":        "studio 协议，位于 `PATH`",
		"envelope":      "标准信封的 HTTP 入口，位于 `PATH`",
		"life":          "令牌的有效期 `DURATION`（默认 15m）",
		"protocol":      "服务器的协议 `PROTOCOL`：client、studio 或 raw（默认：由 URL 的路径判断）",
		"token-env":     "存放令牌的变量名 `NAME`（默认 TROUPE_TOKEN）",
		"session":       "要继续的会话 `ID`（默认：新会话）",
		"dial resume":   "从 `SESSION@SEQ` 继续，若协议支持",
		"dial model":    "首选模型 `MODEL`，provider:model",
		"dial workdir":  "服务器工作区中的文件夹 `DIR`",
		"project":       "项目 `ID`",
		"send":          "要发送的消息文件 `FILE`，每行一条",
		"tee":           "收到的内容同时写入 `FILE`",
		"send-timeout":  "服务器收下一条消息的时限 `DURATION`（默认 10s）",
		"pretty":        "缩进显示收到的内容",
		"workdir":       "智能体工作的文件夹 `DIR`（默认：当前文件夹）",
		"sync":          "日志何时强制写入磁盘 `MODE`：normal、always 或 off",
		"verbose":       "同时显示状态、送达、模型调用和模型名",
		"ascii":         "只用 ASCII 字符绘制",
		"quiet":         "只输出结果和错误",
		"json":          "输出 JSON",
		"speed":         "播放速度是运行时的 `N` 倍，或 max（默认：终端上 8，否则 max）",
		"idle-cap":      "两个条目之间最多等待的时间 `DURATION`（默认 2s）",
		"step":          "每个条目前等待按键；按键也可后退、跳转和查找",
		"from":          "从 `SEQ|ID` 开始：记录的序号，或消息、提问、调用、智能体的编号",
		"convert from":  "消息现在的形式 `DIALECT`（默认 envelope）",
		"convert to":    "要转换成的形式 `DIALECT`（默认 envelope）",
		"map":           "定义一种形式的映射文件 `FILE`，可重复",
		"to":            "到 `SEQ|ID` 为止：提问到其回答，调用到其结果",
		"only":          "只看这些 `AGENT|TYPE`：编号、代码、名称；message.sent、tool.*；用逗号分隔或重复",
		"follow":        "一直等到运行结束，即使本机没有进程在写",
		"verify":        "按记录重新执行各智能体并比对；可给出多次运行",
		"no-follow":     "不等待正在进行的运行的后续内容",
		"from-format":   "FILE 的形式 `FORM`：openai、claude-code、troupe 或 auto",
		"limit":         "最多 `N` 个运行",
		"older-than":    "删除结束时间早于此 `AGE` 的运行：30d、12h……",
		"yes":           "不询问",
		"waits":         "最后一条记录（或 --at 那条）之后谁在等谁",
		"context":       "改动前后未变的行数 `N`（默认 3）",
		"at":            "显示第 `SEQ` 条记录之后的等待关系",

		"send session":   "会话的名称 `NAME`（默认：新会话）",
		"user":           "用户 `CODE`",
		"message-id":     "消息编号 `ID`；已发送过的只执行一次（默认：自动生成）",
		"extra":          "任务的附加数据：`JSON` 对象",
		"queue-anyway":   "没有工作进程在线时也发送",
		"send follow":    "显示任务直到结束，并输出结果",
		"tail from":      "从流中的条目 `ID` 之后开始",
		"tail no-follow": "到会话目前的结尾为止",
		"reader":         "以此名称 `NAME` 保存位置，下次从那里继续",
		"status":         "随回答给出的状态 `WORD`",
		"data":           "随回答给出的 `JSON`",
		"reason":         "说明原因的 `TEXT`",
		"tail file":      "worker: 中有 Redis 地址的团队文件 `FILE`",
		"agent-type":     "接收哪些智能体类型 `TYPE` 的任务；可用逗号分隔或重复",
		"redis":          "Redis 的地址 `URL`（默认取 REDIS_URL，否则 redis://127.0.0.1:6379/0）",
		"schema":         "键名方案 `SCHEMA`：v1 或 v2；各方必须一致（默认 v1，集群 v2）",
		"group":          "工作进程的消费组 `GROUP`（默认 agent_engines）",
		"id":             "工作进程的名称 `NAME`，不得与其他的相同（默认：自动生成）",
		"concurrency":    "最多同时执行 `N` 个任务（默认 4）",
		"max-deliver":    "投递 `N` 次后放弃任务（默认 5）",
		"drain":          "停止时任务最多还可以执行多久 `DURATION`（默认 30s）",
		"lease":          "没有生命迹象时仍算在线的时间 `DURATION`（默认 30s）",
		"events":         "事件的形式 `FORMS`：sdk，或 page（同时写协议页面上的扁平形式）",
		"health":         "/healthz 和 /readyz 的地址 `ADDRESS`，主机:端口（默认：无）",

		"limits":         "设置团队的限额：`NAME=VALUE`，用逗号分隔或重复，例如 tokens=4000000",
		"fork":           "另建一个以此开头（到 --from 为止）的新运行，并从那里继续",
		"resume":         "回到 `RUN` 的对话（默认：最近一次）",
		"resume from":    "从 `SEQ|ID` 分叉：记录的序号，或消息、回答、调用、智能体的编号（默认：结尾）",
		"edit":           "在分叉中更改 `WHAT=TEXT`：17='新内容'（记录的序号或编号；@file）、prompt:ROLE=…、model:ROLE=…",
		"resume file":    "团队文件 `FILE`，只用其 .env、display 和 transcript；团队以日志为准",
		"resume workdir": "智能体工作的文件夹 `DIR`（默认：运行原来的文件夹）",
	},
	groups: map[string]string{groupWork: "工作", groupSteer: "引导", groupLook: "回看", groupServe: "服务", groupTools: "协议工具", groupSetup: "设置"},

	helpFlag: "本命令的帮助",
	usage:    "用法", examples: "示例", commands: "命令", flagsTitle: "选项", globalFlags: "所有命令的选项",
	exitCodes: "退出码\n  0 完成   1 失败   2 选项或文件有错   3 没有可用的模型\n" +
		"  4 提供商失败   5 到达限额   6 等人回答\n  130 Ctrl-C   143 SIGTERM\n\n" +
		"每个选项都有对应的环境变量：--model 是 TROUPE_MODEL。",

	unknownCommand: "没有命令 %q", unknownFlag: "没有选项 %s", didYouMean: "是否想要：%s",
	missingArgument: "%s：缺少参数", extraArgument: "%s：多余的参数 %q",
	badChoice: "%q 不可用，可用：%s", flagAlone: "%s 缺少值",
	badVariable: "%s：%q 不是有效的值", badValue: "--%s：%q 不是有效的值，可用：%s",
	badParam: "-p %q 缺少名称或值", badDotEnv: "%s：有一行不是 NAME=value",
	badOutput: "无法写入结果：%v", isAFolder: "是文件夹", notAFolder: "不是文件夹",
	noFolder: "无法读取文件夹：%v", noHome: "不知道主文件夹，没有地方存放运行",
	stepNeedsTerminal: "--step 要等待按键，而这里不是终端",
	stepHelp:          "任意键：下一条   b：后退   g：跳转   /：查找   n：再找   q：结束",
	stepGo:            "序号或编号：", stepSearch: "查找：", stepNone: "没有", stepEnd: "到结尾了",
	noID: "这次运行中没有编号 %q", noType: "没有 %q 类型的记录", notBoth: "%s 与 %s 不能同时使用",
	badExport:  "无法写入文档：%v",
	formatsAre: "troupe replay %s --from-format openai、claude-code 或 troupe",

	noTeamFile:  "本文件夹和上级文件夹中没有 team.yaml",
	noModel:     "没有指定模型，没有设置密钥，本机也没有服务器应答",
	noModelHint: "设置一个密钥，例如 DEEPSEEK_API_KEY（环境变量，或团队文件旁的 .env）\n或启动本机服务器：ollama serve\n或指定模型：-m ollama/qwen3:8b",
	noKey:       "%s 需要密钥：%s 未设置",
	noKeyHint:   "设置 %s（环境变量，或团队文件旁的 .env）\n或在团队文件 models: 下用 api_key_env 指定另一个变量\n或用本机模型：-m ollama/qwen3:8b",
	demoHint:    "或先看演示：troupe run --demo",
	manyKeys:    "设置了多个密钥，但没有指定模型：%s",
	nameModel:   "请指定：-m provider/model，或团队文件中的 model:",
	noUsual:     "已设置 %s，但没有指定模型",
	modelTaken:  "模型 %s，依据 %s",
	checkHint:   "troupe check",

	emptyTask: "任务为空", emptyTaskHint: `说明团队要做什么：troupe run "…"，或用管道输入`,
	longTask: "任务超过 %d MiB", longTaskHint: "把长材料放进团队可以读取的文件",
	fromStdin: "来自标准输入：", waitingForStdin: "正在等待标准输入结束……（Ctrl-D，或用 < /dev/null 启动）",
	askTask:  "任务：",
	demoTask: "看看这个文件夹，告诉我里面有什么：按种类统计文件、最大的文件、未完成的事项，以及不寻常的地方。",

	banner: "团队 %s   模型 %s   运行 %s", demoBanner: "演示：所有智能体由脚本扮演，没有调用模型。",
	scripted: "（脚本）", warning: "警告：",
	stopping:    "正在轻停：智能体完成当前一步。再按 Ctrl-C 立即停止。",
	interrupted: "已中断", terminated: "被 SIGTERM 结束",

	emptyAnswer: "回答是空的", noDecision: "%q 不是对工具调用的决定",
	decisionHint:   "allow（允许）、always（总是允许），或 deny（拒绝）加理由",
	runIsLive:      "运行 %s 正在另一个进程中进行；请在它的终端里回答",
	answeredBefore: "%s 已经回答过了", notToYou: "%s 不是向你提出的，而是向另一个智能体提出的",
	nothingWaits: "这次运行中没有名为 %q 的等待事项", noneWaits: "这次运行中没有等你回答的事",
	stillWaits: "还有 %d 项在等：", noAlways: "这样的调用只能允许一次，没有规则能表示它",
	askTitle: "%s 向你提问", approveTitle: "%s 请求批准：%s", promptCount: "%s（共 %d 项，第 1 项）",
	answerPrompt: "你的回答", decisionPrompt: "允许吗？y、n、a、?",
	answerHelp:   "输入回答后按 Enter。Ctrl-U 清空这一行；Ctrl-C 停止运行，之后仍可回答。",
	decisionHelp: "y：允许这一次   n：拒绝，后面可写理由   其他文字：以此为理由拒绝",
	alwaysHelp:   "a：本次运行中总是允许 %s", notTaken: "没有采纳：%s",

	runFinished: "运行已经完成；请在引号中说明还要做什么",
	runLive:     "运行正在另一个进程中进行：%s",
	tornCut:     "日志在一行中间断开；其中 %d 字节在旁边的文件 log.torn 中",
	folderGone:  "运行的文件夹 %s 不在这里；智能体在 %s 中工作（--workdir DIR：换一个）",
	fileLeft:    "%s 有错，其中的 display 和 transcript 设置无效：%s",
	badLimit:    "--limits %q 缺少名称或值",

	neverRewritten: "%s 会改变已发生的事，而日志从不改写",
	addFork:        "--fork：另建一个以此开头的新运行，这个运行保持不变",
	badEdit:        "--edit 没有说明改什么",
	editForms:      "--edit 17='新内容'（或 @file）、--edit prompt:ROLE='…'、--edit model:ROLE=provider/model",
	noText:         "--edit %s 没有内容，也没有带 EDITOR 的终端",
	forkOf:         "%s 的分叉，到第 %d 条记录",

	chatHelp: `/agents            团队中有谁，各在做什么
/cost              目前的 token 和费用
/tell AGENT TEXT   给工作中的智能体的消息（只写内容时给负责人）
/stop [AGENT]      停止一个智能体，或像 Ctrl-C 那样停止这一轮
/quit              离开，同 Ctrl-D；troupe chat --resume 回来`,
	chatHint: "输入消息。/help 查看命令，Ctrl-C 停止这一轮，Ctrl-D 离开。",
	chatBack: "回到运行 %s，已有 %d 轮", chatNext: "再次回来：%s", chatEmpty: "还没有说过什么",
	turnStopped: "这一轮已停止。下一条消息会继续。", nobodyWorks: "现在没有人在工作；直接输入消息即可",
	tellHow: "/tell AGENT TEXT", stopFirst: "团队正在工作：请先 /stop",

	initWrote: "已写入  %s", initKept: "保留    %s（已存在）",
	initNext: "接着：\n  %s\n  %s", initTask: "说明这个文件夹里有什么", initOffer: "现在运行吗？[Y/n]",

	colRun: "运行", colWhen: "时间", colStatus: "状态", colTeam: "团队", colTask: "任务", colTokens: "token", colCost: "费用", colLog: "日志",
	colAgent: "智能体", colName: "名称", colState: "状态", colSteps: "步数", colModel: "模型",
	colWaited: "已等", waitsHead: "第 %d 条记录之后（%s），谁在等谁", noWaits: "没有人在等", noRecord: "日志到第 %d 条为止，没有第 %d 条",
	colQuestion: "提问", colFrom: "提问者", colTo: "对象", colOutcome: "结果", colText: "内容", colArtifacts: "产物",
	colRuns: "运行目录", colRole: "角色", colTools: "工具", colLimits: "限额",
	colCheck: "问题", colResult: "结果", colDetail: "细节",
	probeWorks: "可用", probeFails: "不可用", probeProfile: "配置：%s", probeUsual: "常规",
	probeLearned: "学到：%s 现在是 %s，因为端点说：%s", probeWrite: "写入团队文件，在该模型之下：profile: %s",
	probeTokens: "这些问题用了 %d 个 token。", probeScript: "%s 是脚本，没有可以提问的端点",

	colProvider: "提供商", colKey: "密钥", colFound: "状态", colAddress: "地址",

	diffEqual:    "没有不同：%d 个智能体在两次运行中所做相同",
	diffDamaged:  "%s 在第 %d 条记录之后损坏，只比较到那里：%s",
	diffNoEnd:    "%s 还没有结束（%s），只比较到第 %d 条记录",
	diffPrograms: "两次运行的程序不同（%s，%s），不逐字节比较请求",
	diffRecords:  "%d 条记录", diffForked: "%s 是 %s 在第 %d 条记录之后的分叉。", diffForkedBoth: "两者都是 %s 的分叉，共有的最后一条是第 %d 条。",
	diffFirst: "最早的不同：%s", diffHeader: "日志头，字段 %s", diffTeam: "日志头", diffMore: "另有 %d 处，--json 显示全部",
	diffPlace: "第 %d 条  %s", diffNothing: "没有更多", diffTurn: "第 %d 轮", diffStep: "第 %d 步",
	diffOnly: "只在 %s 中", diffIDs: "A 中 %s，B 中 %s", diffField: "字段  %s", diffWhy: "原因  %s", diffVia: "，通过 %s",
	diffSameRequest: "，而两次请求逐字节相同", diffSame: "两次相同：%s", diffTotal: "整个运行，从最早的不同起",
	colSince: "此后", colTime: "时间",

	noRuns: "%s 中没有运行", noAgent: "这次运行中没有智能体 %q", agentsAre: "其中的智能体：%s", partial: "不完整，限额 %s", tokens: "输入 %d，输出 %d",
	checkOK: "一切正常；没有调用模型。", ownTools: "它自己的（在别处工作）", noToken: "存放令牌的变量 %s 没有设置", noSuchPlace: "这个版本不认识协议 %s",
	defaultTools: "（默认）",
	keyMissing:   "未设置", serverFound: "有应答", serverMissing: "无应答",

	colCalls: "调用", colInput: "输入", colCached: "缓存", colOutput: "输出", colTotal: "合计", runsCounted: "运行：%d",
	colTool: "工具", colBytes: "字节", colLongResult: "过长的结果",
	tornTail:    "日志的最后一行不完整（崩溃会留下这样的行），已略去其中 %d 字节。",
	repairWhole: "%s 无需修复：%d 条记录", repairLine: "丢弃第 %d 行：%s",
	repairLost: "丢失的记录：%s；各由一条警告 %s 代替", repairDone: "保留 %d 条记录：%s\n原来的日志：%s",
	andMore: "还有 %d 项", notInFolder: "%s 不是运行：文件名不是 %s",
	rmLive: "运行 %s 正在进行，请先结束它", rmNone: "没有要删除的", rmKept: "没有删除", rmDone: "已删除 %s",
	rmResumable: "保留（还可以继续或修复）：%s", rmNeedsYes: "这里无法询问",
	rmAsk: "永久删除？[y/N]", keptRemoved: "已删除结束超过 %s 的运行：%s",

	statuses: map[string]string{
		transcript.StatusRunning: "运行中", transcript.StatusInterrupted: "中断", transcript.StatusSuspended: "挂起",
		transcript.StatusFinished: "完成", transcript.StatusFailed: "失败", transcript.StatusDamaged: "损坏",
	},
	states: map[event.State]string{
		event.Created: "就绪", event.Working: "工作", event.Waiting: "等待", event.Idle: "空闲",
		event.Failing: "失败", event.Stopped: "已停", event.Finished: "已终止",
	},
	outcomes: map[event.Outcome]string{
		"": "未回答", event.Answered: "已回答", event.Implicit: "以输出作答", event.Declined: "拒绝回答",
		event.CompletedWithoutAnswer: "结束时未回答", event.Terminated: "对方已终止", event.Failed: "对方失败",
		event.OverBudget: "到达限额", event.Cancelled: "已取消", event.TimedOut: "超时", event.RefusedCycle: "会形成循环，已拒绝",
	},
	causes: map[replay.CauseKind]string{
		replay.CauseAgent: "由 %s 的不同引起", replay.CauseTeam: "设置不同", replay.CauseModel: "模型的回复不同",
		replay.CauseTool: "工具的结果不同", replay.CausePerson: "人所说的不同",
		replay.CauseLimit: "限额", replay.CauseTiming: "同样的内容，先后不同",
		replay.CauseRuntime: "Troupe 自己所说或所问的不同", replay.CauseEnd: "一次运行到此为止",
	},
	origins:  map[string]string{fromEnvironment: "环境变量", fromDotEnv: ".env"},
	envelope: envelopeWordsZH,
	serve:    serveWordsZH,
	dial:     dialWordsZH,
	worker:   workerWordsZH,
	queue:    queueWordsZH,
	verify: map[string]string{
		"run":           "运行 %s，%d 条记录",
		"records":       "%d 条记录",
		"requests":      "%d 次请求",
		"ok":            "一致",
		"at":            "第 %d 条记录不同",
		"unverified":    "请求无法核对：缺少自定义工具 %s",
		"rules":         "规则",
		"broken":        "违反 %d 处",
		"violation":     "  记录 %d：%s：%s",
		"first":         "%s 最早在记录 %d（%s，第 %d 轮）出现分歧：%s",
		"request":       "受影响的请求：记录 %d",
		"values":        "  记录  %s\n  重放  %s",
		"first request": "开头",
		"unseen":        "对话与记录相同，摘要却不同：记录事后被改动过，或者工具的说明不同。最后一次相同的请求：%s",
		"missing":       "智能体没有做到这条记录就结束了。",
		"extra":         "这是它记录中的最后一条，重放时却又多了一条。",
		"differs":       "与记录不一致",
		"alone":         "%s 用于显示运行，不能与 --verify 一起用",
	},
}
