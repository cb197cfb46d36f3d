package main

// The words of "troupe envelope": of a reason by "reason.R", of what a field
// should hold by "want.W", of a verdict by "verdict.V", of a step by "step.S".

var envelopeWordsEN = map[string]string{
	"colon": ": ", "comma": ", ", "semicolon": "; ", "found": "%s: %s", "meant": "%s (is it %s?)", "wanted": "%s; wanted: %s", "byte": "%s (byte %d)",
	"early": "it ends too early", "good": "ok", "skipped": "—",
	"none": "no messages", "summary": "messages: %d, refused: %d", "converted": "messages: %d, not converted: %d",
	"left": "left out, because %s has no place for them: %s", "times": "%s (%d)",
	"noDialect": "there is no dialect %q", "dialects": "dialects: %s", "twice": "two dialects are called %s",

	"reason.bad_json": "not JSON", "reason.not_object": "not a JSON object", "reason.bom": "begins with a byte order mark",
	"reason.duplicate_key": "stands there twice", "reason.invalid_utf8": "not valid UTF-8",
	"reason.lone_surrogate": "half of a surrogate pair", "reason.too_deep": "nested deeper than 64", "reason.too_large": "larger than 1 MiB",
	"reason.missing_field": "missing", "reason.bad_field": "wrong value", "reason.bad_type": "unknown type",
	"reason.broadcast": "no message is for everybody in version 1.0", "reason.self_addressed": "the same as the sender",
	"reason.unknown_receiver": "not known here", "reason.wrong_sender": "not who sent it",
	"reason.unlisted_tool": "not a tool that may be called from outside", "reason.unknown_request": "nobody asked for it",
	"reason.conflict": "used for something else before", "reason.metadata_clash": "another value stands in the metadata",
	"reason.unknown_proto": "unknown version", "reason.minor_version": "a newer version of 1, read as 1.0",
	"reason.suspicious_ts": "taken for milliseconds", "reason.extra_field": "unknown, belongs into the metadata",
	"reason.repeated": "came before",

	"want.text": "a text that is not empty", "want.short_text": "a text of 1 to 256 bytes", "want.seconds": "a number of seconds since 1970",
	"want.type": "task, tool_call or result", "want.object": "an object", "want.text_or_object": "a text or an object",

	"verdict.ok": "taken", "verdict.missing": "refused: fields are missing",
	"verdict.extra":  "taken, the unknown fields in the metadata",
	"verdict.text":   "not an error: the receiver reads the whole message as text",
	"verdict.repeat": "not done again: the first result is returned", "verdict.invalid": "refused",

	"step.message": "message", "step.names": "field names", "step.extra": "extra fields", "step.version": "version", "step.repeat": "duplicates",
}

var envelopeWordsZH = map[string]string{
	"colon": "：", "comma": "、", "semicolon": "；", "found": "%s：%s", "meant": "%s（是 %s 吗？）", "wanted": "%s，应为%s", "byte": "%s（第 %d 字节）",
	"early": "过早结束", "good": "没有问题", "skipped": "—",
	"none": "没有消息", "summary": "%d 条消息，拒绝 %d 条", "converted": "%d 条消息，%d 条未转换",
	"left": "略去（%s 容纳不下）：%s", "times": "%s（%d）",
	"noDialect": "没有 %q 这种形式", "dialects": "可用：%s", "twice": "有两种形式都叫 %s",

	"reason.bad_json": "不是 JSON", "reason.not_object": "不是 JSON 对象", "reason.bom": "以字节顺序标记开头",
	"reason.duplicate_key": "出现了两次", "reason.invalid_utf8": "不是有效的 UTF-8",
	"reason.lone_surrogate": "只有半个代理对", "reason.too_deep": "嵌套超过 64 层", "reason.too_large": "超过 1 MiB",
	"reason.missing_field": "缺少", "reason.bad_field": "值不合适", "reason.bad_type": "未知的类型",
	"reason.broadcast": "1.0 版没有群发", "reason.self_addressed": "与发送方相同",
	"reason.unknown_receiver": "这里没有这个接收方", "reason.wrong_sender": "与实际的发送方不符",
	"reason.unlisted_tool": "不是允许外部调用的工具", "reason.unknown_request": "没有人提出过这个请求",
	"reason.conflict": "之前用于别的内容", "reason.metadata_clash": "与 metadata 中的值不同",
	"reason.unknown_proto": "不认识的版本", "reason.minor_version": "第 1 版中较新的版本，按 1.0 解析",
	"reason.suspicious_ts": "当作毫秒", "reason.extra_field": "未知字段，应放在 metadata 中",
	"reason.repeated": "之前来过",

	"want.text": "非空的文本", "want.short_text": "1 至 256 字节的文本", "want.seconds": "自 1970 年起的秒数",
	"want.type": " task、tool_call 或 result", "want.object": "对象", "want.text_or_object": "文本或对象",

	"verdict.ok": "接受", "verdict.missing": "拒绝：缺少字段",
	"verdict.extra":  "接受，未知字段放入 metadata",
	"verdict.text":   "不是错误：接收方把整条消息当作文本来读",
	"verdict.repeat": "不再执行：返回第一次的结果", "verdict.invalid": "拒绝",

	"step.message": "消息", "step.names": "字段名", "step.extra": "多余字段", "step.version": "版本", "step.repeat": "去重",
}
