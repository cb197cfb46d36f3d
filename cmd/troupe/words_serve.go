package main

// The words of "troupe serve".

var serveWordsEN = map[string]string{ //nolint:gosec // words about tokens, no tokens
	"banner":        "troupe: team %s · %s · serves at %s",
	"anyone":        "no tokens are set: everybody on this machine may use it, and nobody else can",
	"places":        "  workspace %s\n  runs      %s\n  audit     %s",
	"stopping":      "stopping: the steps under way may end, then all sessions are suspended; troupe serve goes on with them",
	"noFace":        "no protocol is switched on; choose some",
	"badPath":       "--%s: %q is no path",
	"samePath":      "%s and %s are both at %s",
	"filesPath":     "--%s: %s is taken: clients send files to %s",
	"badListen":     "%q is no address to listen on",
	"badOrigin":     "%q is no origin: a scheme and a host, and no path",
	"openWorld":     "without tokens the server listens on this machine only, not at %q",
	"openWorldHint": "name tokens in the team file, serve: {tokens: {alice: ALICE_TOKEN}}, or listen on 127.0.0.1:8787",
	"noListen":      "cannot listen at %s: %v",
	"noToken":       "the variable %s, named below serve: in the team file, is not set",
	"noTokenHint":   "%s=… troupe serve, or a line of the .env file beside the team file",
	"noKey":         "the team file names no key that signs tokens",
	"noKeyHint":     "serve: {token_key_env: TROUPE_TOKEN_KEY}, a variable with 32 secret bytes or more: openssl rand -hex 32",
	"tlsPair":       "a certificate and its key go together",
}

var serveWordsZH = map[string]string{ //nolint:gosec // words about tokens, no tokens
	"banner":        "troupe：团队 %s · %s · 服务地址 %s",
	"anyone":        "未设置令牌：本机上的任何人都能使用，其他机器无法连接",
	"places":        "  工作区    %s\n  运行记录  %s\n  审计      %s",
	"stopping":      "正在停止：进行中的步骤做完后，所有会话挂起；再次运行 troupe serve 会继续",
	"noFace":        "没有启用任何协议，请选择",
	"badPath":       "--%s：%q 不是路径",
	"samePath":      "%s 与 %s 都在 %s",
	"filesPath":     "--%s：%s 已被占用：客户端文件在 %s",
	"badListen":     "%q 不是可以监听的地址",
	"badOrigin":     "%q 不是网页来源：须有协议和主机，没有路径",
	"openWorld":     "没有令牌时服务器只在本机监听，不能用 %q",
	"openWorldHint": "在团队文件中指定令牌 serve: {tokens: {alice: ALICE_TOKEN}}，或监听 127.0.0.1:8787",
	"noListen":      "无法监听 %s：%v",
	"noToken":       "团队文件 serve: 中指定的变量 %s 没有设置",
	"noTokenHint":   "%s=… troupe serve，或写入团队文件旁的 .env 文件",
	"noKey":         "团队文件没有指定签发令牌的密钥",
	"noKeyHint":     "serve: {token_key_env: TROUPE_TOKEN_KEY}，变量中至少 32 个保密字节：openssl rand -hex 32",
	"tlsPair":       "证书与其密钥须同时给出",
}
