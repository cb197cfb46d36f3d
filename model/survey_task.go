package model

import (
	"strings"
)

// surveyWords are in tasks that a survey of the folder can do, otherWords in
// those that want more.
var (
	surveyWords = pattern(`(?i)\b(survey|inspect|explore|scan|inventory|overview|summar\w+|describe|list|count|measure|look|folder|directory|` +
		`files?|readme|todos?|fixme|codebase|repo|repository|project|demo|what is (in|here)|what's (in|here))\b|` +
		`调查|查看|看看|看一下|看下|清点|盘点|统计|列出|概览|概况|概述|总结|了解|扫描|摸底|文件|目录|项目|仓库|代码库|演示`)
	otherWords = pattern(`(?i)\b(write|create|build|make|fix|implement|design|refactor|rewrite|translate|add|delete|remove|change|rename|` +
		`update|upgrade|deploy|install|run|execute|debug|optimi[sz]e|generate|develop|plan|explain|compare|send|search the web)\b|` +
		`写|创建|新建|设计|实现|修复|修改|改成|重构|翻译|添加|增加|删除|部署|安装|运行|执行|开发|生成|优化|调试|解释|制定`)
)

// producing is making a survey, in words that would else mean more.
var producing = pattern(`(?i)\b(run|make|do|create|write|generate|execute|prepare|give)\s+(me\s+)?(a\s+|an\s+|the\s+)?(\w+\s+)?(survey|overview|inventory|summary|list)\b|` +
	`(写|生成|创建|做|执行|运行|制作)[一这]?[份个次下]?(文件夹|目录|项目|文件)?的?(概览|概况|调查|清单|总结|统计|盘点)`)

// canDo reports whether a survey of the folder is all that a task asks for.
func canDo(task string) bool {
	task = producing().ReplaceAllString(task, " survey ")
	return strings.TrimSpace(task) == "" || surveyWords().MatchString(task) && !otherWords().MatchString(task)
}
