package main

// The words of "troupe worker".

// What an address of Redis may be.
const (
	redisHelpEN = `Redis is redis://, rediss:// (TLS) or unix://; ?master_name=NAME goes through
Sentinels, ?addr=HOST:PORT or redis+cluster:// is a cluster. With TLS ?ssl_ca_certs=FILE
names the authorities to trust instead of the system's, &ssl_certfile=FILE and
&ssl_keyfile=FILE what this side shows.`
	redisHelpZH = `Redis 地址为 redis://、rediss://（TLS）或 unix://；?master_name=NAME 经由 Sentinel，
?addr=HOST:PORT 或 redis+cluster:// 为集群。用 TLS 时，?ssl_ca_certs=FILE 代替系统的证书颁发
机构，&ssl_certfile=FILE 和 &ssl_keyfile=FILE 是本方出示的证书和密钥。`
)

var workerWordsEN = map[string]string{
	"banner":      "troupe: worker %s takes tasks for %s from Redis at %s · team %s · %s",
	"draining":    "stopping: tasks may end, no new ones are taken; Ctrl-C again hands them back at once",
	"ended":       "the worker has ended",
	"noType":      "no agent type is named whose tasks the worker takes",
	"negative":    "--concurrency and --max-deliver are numbers above zero",
	"lost":        "the worker has lost its id %s: another process has it, or Redis was away for too long; its tasks are taken over",
	"lostHint":    "start it again; without --id each worker has an id of its own",
	"evicted":     "an administrator has evicted the worker %s",
	"evictedHint": "start it with another --id, or have the admin key removed",
	"noHealth":    "cannot listen at %s: %v",
}

var workerWordsZH = map[string]string{
	"banner":      "troupe：工作进程 %s 接收 %s 的任务，Redis %s · 团队 %s · %s",
	"draining":    "正在停止：任务可以做完，不再接收新任务；再按一次 Ctrl-C 立即交还",
	"ended":       "工作进程已结束",
	"noType":      "没有指定接收哪种智能体类型的任务",
	"negative":    "--concurrency 和 --max-deliver 须大于零",
	"lost":        "工作进程失去了名称 %s：被别的进程占用，或 Redis 离线太久；它的任务由别的进程接手",
	"lostHint":    "重新启动即可；不给 --id 时每个工作进程有自己的名称",
	"evicted":     "管理员已驱逐工作进程 %s",
	"evictedHint": "换一个 --id 启动，或请管理员删除管理键",
	"noHealth":    "无法监听 %s：%v",
}
