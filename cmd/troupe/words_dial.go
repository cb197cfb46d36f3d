package main

// The words of "troupe dial".

var dialWordsEN = map[string]string{
	"badURL":       "%q is no address: ws://host/path or wss://host/path",
	"noToken":      "the variable %s, which --token-env names, is not set",
	"notFor":       "--%s means nothing in the protocol %s",
	"connected":    "connected to %s, protocol %s",
	"noConnection": "no connection to %s: %s",
	"refused":      "%s answers %s: %s",
	"sent":         "→",
	"notSent":      "the server did not take the message within %s",
	"lost":         "the connection was lost: %s",
	"closed":       "closed by the server: %d %s",
	"wantsToken":   "if the server wants a token: %s",
}

var dialWordsZH = map[string]string{ //nolint:gosec // words about tokens, no tokens
	"badURL":       "%q 不是地址，应为 ws://主机/路径 或 wss://主机/路径",
	"noToken":      "--token-env 指定的变量 %s 没有设置",
	"notFor":       "--%s 对 %s 协议没有意义",
	"connected":    "已连接 %s，协议 %s",
	"noConnection": "无法连接 %s：%s",
	"refused":      "%s 返回 %s：%s",
	"sent":         "→",
	"notSent":      "服务器没有在 %s 内收下消息",
	"lost":         "连接断开：%s",
	"closed":       "服务器关闭连接：%d %s",
	"wantsToken":   "如果服务器需要令牌：%s",
}
