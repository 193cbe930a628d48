/**
 * A client that shows the same inbox as every other device of its user; docs/notifications.md explains it.
 * Run it with Node: node docs/inbox-client.mjs BASE TOKEN
 */
const [base, token] = process.argv.slice(2)
/** The notifications by id, the last seq that was applied, and the number on the badge. */
let inbox
let seq
let unread

async function list() {
  const answer = await fetch(`${base}/v1/notifications?limit=100`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  if (!answer.ok) throw new Error(`The list was refused: ${answer.status}`)
  const page = await answer.json()
  inbox = new Map(page.notifications.reverse().map((one) => [one.id, one]))
  seq = Number(answer.headers.get('X-Inbox-Seq'))
  unread = page.unread
  show('listed')
}

async function receive({ type, data, ...now }) {
  if (type === 'ready' && !data.recovered) await list()
  if (now.seq <= seq) return // the list has it already
  if (type === 'notification') inbox.set(data.id, data)
  if (type === 'notification_deleted') inbox.delete(data.notification_id)
  const read = type === 'notifications_read' ? (data.notification_ids ?? [...inbox.keys()]) : []
  for (const id of read) if (inbox.has(id)) inbox.get(id).state = 'read'
  seq = now.seq
  unread = now.unread
  show(type)
}

async function connect() {
  if (seq === undefined) await list()
  const url = `${base.replace('http', 'ws')}/v1/notifications/ws?after=${seq}`
  const socket = new WebSocket(url, ['notifications.v1', `bearer.${token}`])
  // Messages are applied one after the other, also while the list is being fetched.
  let turn = Promise.resolve()
  socket.onmessage = ({ data }) => {
    turn = turn.then(() => receive(JSON.parse(data)))
    turn.catch(() => socket.close())
  }
  socket.onclose = ({ code }) => {
    if (code !== 4429) turn.catch(() => {}).then(reconnect)
  }
}

function reconnect() {
  setTimeout(() => connect().catch(reconnect), 1_000)
}

function show(what) {
  console.log(`${seq}: ${what}. There are ${inbox.size}, ${unread} unread`)
}

connect().catch(reconnect)
