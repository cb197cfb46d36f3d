// chat talks with a team until the page is left, and comes back by itself when the
// connection is lost. tools are {name, description, parameters, run}; heard gets every
// message.
function chat(url, token, tools, heard) {
  const open = new Map(), results = new Map(); // prompts without an answer; what tools returned
  const instance = Math.random().toString(36).slice(2);
  let session, last = 0, tries = 0, ids = 0, ws;
  const send = (m) => ws.readyState === WebSocket.OPEN && ws.send(JSON.stringify({id: `msg_${Date.now()}_${++ids}`, ...m}));
  async function call(m) { // a call that comes again is not executed again
    if (!results.has(m.call_id)) results.set(m.call_id, tools.find((t) => t.name === m.name).run(m.arguments));
    send({type: "tool.result", call_id: m.call_id, content: [{type: "text", text: String(await results.get(m.call_id))}]});
  }
  function connect() {
    ws = new WebSocket(url, ["bearer", token]);
    const hello = () => send({
      type: "hello", session_id: session, last_seq: last, client_info: {name: "chat.js", instance},
      capabilities: {streaming: true, tool_callbacks: true, tools: tools.map(({run, ...about}) => about)},
    });
    ws.onopen = hello;
    ws.onclose = () => setTimeout(connect, Math.min(5000, 200 * 2 ** tries++ + Math.random() * 100));
    ws.onmessage = ({data}) => {
      const m = JSON.parse(data);
      last = Math.max(last, m.seq ?? 0);
      if (m.type === "hello.ack") { session = m.session_id; tries = 0; open.forEach(send); }
      if (m.type === "session.expired") { session = undefined; last = 0; hello(); } // begin anew
      if (m.type === "ping") send({type: "pong", reply_to: m.id});
      if (m.type === "tool.call") call(m);
      if (m.type === "response") open.delete(m.reply_to);
      heard(m);
    };
  }
  connect();
  return (text) => { // says something to the team
    const m = {id: `msg_${Date.now()}_${++ids}`, type: "request", method: "prompt", content: [{type: "text", text}]};
    open.set(m.id, m);
    if (session) send(m);
  };
}
