/** The script of a page that shows an inbox with the client. */
import { createClient, type Inbox, type InboxOptions } from '#client'

declare global {
  /** The test makes tokens: they are short, so that the client renews them. */
  var makeToken: () => Promise<string>
}

let inbox: Inbox | undefined
const told: string[] = []
const states: string[] = []

function open({ baseUrl, options }: { baseUrl: string; options: InboxOptions }): void {
  inbox = createClient({ baseUrl, token: () => globalThis.makeToken() }).inbox.open(options)
  inbox.on('notification', ({ id }) => told.push(id))
  inbox.on('state', ({ name }) => states.push(name))
}

/** The ids of the notifications that the page was told, in order; what it shows; and how its connection stands. */
function look() {
  return { told, snapshot: inbox?.snapshot, state: inbox?.state.name, states }
}

async function ready() {
  return inbox?.ready()
}

const acts = { open, look, ready }
export type InboxActs = typeof acts
Object.assign(globalThis, { acts })
