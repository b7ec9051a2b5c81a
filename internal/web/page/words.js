// The words of the page, in English and Chinese, and dates and numbers as their readers write them.

const EN = {
  name: "English", skip: "Skip to content", tagline: "Your memory, on this machine",
  signin: "Sign in", token: "Token", signinHelp: "It is in core.token in the workspace, or the one you have set as OPENHUMAN_CORE_TOKEN. It stays in this tab and is forgotten with it.",
  wrongToken: "That is not the token of this server.", badToken: "A token has only letters, digits and signs, and no spaces.", signout: "Sign out",
  overview: "Overview", search: "Search", entities: "Entities", trees: "Summaries", tools: "Tools", audit: "Audit", read: "Read",
  views: "Views", language: "Language", keys: "Keys", close: "Close", loading: "Loading…", retry: "Try again",
  unreachable: "The server does not answer.", unreachableHint: "Is openhuman-core serve still running?", failed: "That did not work",
  sources: "Sources", source: "Source", kind: "Kind", chunks: "Chunks", latest: "Latest", activity: "Activity", activityBy: "Activity by month",
  years2: "2 years", years10: "10 years", span: "Time span", peak: "{n} chunks", callsIn: "{n} calls", chart: "{total} chunks from {from} to {to}, most in {most}: {n}.", quiet: "Nothing from {from} to {to}.",
  total: "{n} chunks in {s} sources", chat: "chat", email: "mail", document: "documents",
  empty: "The memory is empty", emptyHelp: "Take something in: openhuman-core ingest PATH",
  query: "What to look for", searchHelp: "By words on one side, by meaning on the other. “A phrase”, word*, -word, from: source: kind: tag: after: before: narrow the words.",
  byWords: "By words", byMeaning: "By meaning", byWordsAbout: "memory.search", byMeaningAbout: "memory.recall", nothing: "Nothing found.", more: "There is more; ask for something rarer.",
  why: "Why it is here", keyword: "its words", semantic: "its meaning", summary: "its summary", alsoWords: "no. {n} by words", alsoMeaning: "no. {n} by meaning", score: "score {n}", relevance: "relevance {n}", isSummary: "summary", found: "{n} found",
  filterHelp: "Words that must all occur", apply: "Filter", page: "{from}–{to} of {n}", earlier: "Older", later: "Newer",
  loadBefore: "What comes before", loadAfter: "What comes after", start: "Start of the document", end: "End of the document",
  mentions: "Mentions", tags: "Tags", tokens: "{n} tokens", from: "From", date: "Date", reference: "Reference", nodeId: "Id", covers: "It stands over {n} nodes", openTree: "All summaries of this source", thisPart: "this part",
  kindAll: "Mixed", entity: "Entity", noEntities: "Nothing is mentioned yet.",
  chooseSource: "Source", treeHelp: "Summaries stand over neighbouring chunks, and summaries over summaries. Open one to walk down to the text itself.", level: "level {n}", covering: "{n} chunks", moreRoots: "More",
  toolsHelp: "Every operation on every surface, as the registry lists it.", tool: "Tool", transport: "Surface", state: "State", health: "Health", version: "Version", on: "on", off: "off", schemas: "Schemas", input: "Takes", output: "Returns", available: "available", unavailable: "unavailable", unknown: "unknown",
  diagnostics: "Diagnostics", operations: "operations", enabledOnes: "enabled", overMCP: "over MCP", overRPC: "over JSON-RPC", memory: "Memory", providers: "Capability providers", usable: "usable", writes: "May write", noWrites: "Nothing here writes.", denials: "Refused calls", noDenials: "Nothing has been refused since the start.",
  surfaces: "Policy by surface", surface: "Surface", levelOf: "Level", denied: "Denied", scopes: "Client scopes", limit: "Reads a minute", redact: "Redaction", recorded: "Recorded", yes: "yes", no: "no", none: "none",
  auditHelp: "Who has called what. What was asked and what was found is not recorded.", days: "Last {n} days", calls: "Calls", refused: "Refused", errors: "Failed", rows: "Rows", noCalls: "No calls are recorded in this time.",
  keyHelp: "Keyboard", k1: "the views, in order", kslash: "search", kjk: "next and previous row", kenter: "open the row", kbrackets: "previous and next part of the document", kesc: "back, or close", kq: "this list",
  cut: "Some was left out to fit: {shown} of {total}.",
};

const ZH = {
  name: "中文", skip: "跳到正文", tagline: "你的记忆，只在这台电脑上",
  signin: "登录", token: "令牌", signinHelp: "令牌在工作区的 core.token 文件里，或是你设置的 OPENHUMAN_CORE_TOKEN。它只保存在这个标签页中，关闭即忘。",
  wrongToken: "这不是本服务器的令牌。", badToken: "令牌只含字母、数字和符号，没有空格。", signout: "退出",
  overview: "概览", search: "搜索", entities: "实体", trees: "摘要", tools: "工具", audit: "审计", read: "阅读",
  views: "页面", language: "语言", keys: "快捷键", close: "关闭", loading: "正在载入…", retry: "重试",
  unreachable: "服务器没有回应。", unreachableHint: "openhuman-core serve 还在运行吗？", failed: "没有成功",
  sources: "来源", source: "来源", kind: "类型", chunks: "片段", latest: "最近", activity: "活动", activityBy: "每月活动",
  years2: "2 年", years10: "10 年", span: "时间范围", peak: "{n} 个片段", callsIn: "调用 {n} 次", chart: "{from}至{to}共 {total} 个片段，{most}最多：{n}。", quiet: "{from}至{to}没有内容。",
  total: "{s} 个来源，共 {n} 个片段", chat: "聊天", email: "邮件", document: "文档",
  empty: "记忆是空的", emptyHelp: "先放入一些内容：openhuman-core ingest 路径",
  query: "要找什么", searchHelp: "左边按词，右边按意思。“短语”、词*、-词，以及 from: source: kind: tag: after: before: 可以缩小按词查找的范围。",
  byWords: "按词", byMeaning: "按意思", byWordsAbout: "memory.search", byMeaningAbout: "memory.recall", nothing: "没有找到。", more: "还有更多，请用更少见的词。",
  why: "为何出现", keyword: "词语相符", semantic: "意思相近", summary: "摘要相符", alsoWords: "按词也在第 {n} 位", alsoMeaning: "按意思也在第 {n} 位", score: "得分 {n}", relevance: "相关度 {n}", isSummary: "摘要", found: "找到 {n} 个",
  filterHelp: "必须全部出现的词", apply: "筛选", page: "第 {from}–{to} 个，共 {n} 个", earlier: "更早", later: "更新",
  loadBefore: "前面的内容", loadAfter: "后面的内容", start: "文档开头", end: "文档结尾",
  mentions: "提到", tags: "标签", tokens: "{n} 个词元", from: "作者", date: "日期", reference: "位置", nodeId: "编号", covers: "涵盖 {n} 个节点", openTree: "此来源的全部摘要", thisPart: "当前部分",
  kindAll: "混合", entity: "实体", noEntities: "还没有提到任何实体。",
  chooseSource: "来源", treeHelp: "摘要概括相邻的片段，上层摘要再概括下层摘要。逐层展开，直到原文。", level: "第 {n} 层", covering: "{n} 个片段", moreRoots: "更多",
  toolsHelp: "注册表列出的每种接口上的每个操作。", tool: "工具", transport: "接口", state: "状态", health: "健康", version: "版本", on: "开启", off: "关闭", schemas: "结构", input: "参数", output: "结果", available: "可用", unavailable: "不可用", unknown: "未知",
  diagnostics: "诊断", operations: "个操作", enabledOnes: "个已开启", overMCP: "个经 MCP", overRPC: "个经 JSON-RPC", memory: "记忆库", providers: "能力提供者", usable: "可用", writes: "可能写入", noWrites: "这里没有会写入的操作。", denials: "被拒绝的调用", noDenials: "启动以来没有拒绝过调用。",
  surfaces: "各接口的策略", surface: "接口", levelOf: "级别", denied: "禁用", scopes: "客户端范围", limit: "每分钟读取", redact: "遮盖", recorded: "记录", yes: "是", no: "否", none: "无",
  auditHelp: "谁调用了什么。问了什么、找到什么，都不记录。", days: "最近 {n} 天", calls: "调用", refused: "拒绝", errors: "失败", rows: "行数", noCalls: "这段时间没有调用记录。",
  keyHelp: "键盘", k1: "依次切换页面", kslash: "搜索", kjk: "下一行、上一行", kenter: "打开这一行", kbrackets: "文档的上一部分、下一部分", kesc: "返回或关闭", kq: "显示此列表",
  cut: "为了不超出大小，只显示 {total} 个中的 {shown} 个。",
};

const ALL = { en: EN, zh: ZH };
const KEY = "openhuman.language";

const chosen = () => {
  const kept = localStorage.getItem(KEY);
  if (kept in ALL) return kept;
  const first = navigator.languages.find((l) => /^(en|zh)\b/i.test(l)) ?? "en";
  return first.slice(0, 2).toLowerCase();
};

let language = chosen();

export const languages = Object.keys(ALL).map((code) => [code, ALL[code].name]);
export const current = () => language;

export function choose(code) {
  language = code;
  localStorage.setItem(KEY, code);
}

// t returns a phrase with its {gaps} filled.
export const t = (key, gaps = {}) => (ALL[language][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => gaps[name] ?? "");

const locale = () => (language === "zh" ? "zh-CN" : navigator.languages.find((l) => l.startsWith("en")) ?? "en");
export const number = (n) => new Intl.NumberFormat(locale()).format(n);
export const day = (ms) => new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(ms);
export const moment = (ms) => new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(ms);
export const month = (m) => new Intl.DateTimeFormat(locale(), { year: "numeric", month: "short", timeZone: "UTC" }).format(Date.parse(m + "-01T00:00:00Z"));
