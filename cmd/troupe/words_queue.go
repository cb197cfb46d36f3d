package main

// The words of "troupe queue".

var queueWordsEN = map[string]string{
	"noObject": "--%s takes a JSON object, not %s", "noJSON": "--%s takes JSON, not %s",
	"known": "the message was sent before; it runs once", "waits": "task %s waits for its user",
	"noTask": "the session %s has no task %s", "online": "online: %s", "anyway": "--queue-anyway sends it all the same; it waits until a worker comes",
	"nonePending": "nothing is pending for %s", "claimed": "entries given to the workers that live: %d",
	"allEnded": "nothing was under way",
	"colEntry": "ENTRY", "colWorker": "WORKER", "colLives": "STATE", "colIdle": "IDLE", "colDelivered": "DELIVERED",
	"colAction": "ACTION", "colSession": "SESSION", "colMessage": "MESSAGE", "lives": "lives", "dead": "dead",
}

var queueWordsZH = map[string]string{
	"noObject": "--%s 须为 JSON 对象，而不是 %s", "noJSON": "--%s 须为 JSON，而不是 %s",
	"known": "该消息之前已发送，只会执行一次", "waits": "任务 %s 在等用户回答",
	"noTask": "会话 %s 中没有任务 %s", "online": "在线：%s", "anyway": "--queue-anyway 仍然发送，等到有工作进程时执行",
	"nonePending": "%s 没有待处理的条目", "claimed": "%d 个条目已交给在线的工作进程",
	"allEnded": "没有进行中的任务",
	"colEntry": "条目", "colWorker": "工作进程", "colLives": "状态", "colIdle": "空闲", "colDelivered": "投递次数",
	"colAction": "命令", "colSession": "会话", "colMessage": "消息", "lives": "在线", "dead": "已死",
}
