import { isMoving } from '../../support/databases.ts'
import { expectSound } from '../../support/invariants.ts'
import { endMoves } from '../../support/moving.ts'
import { origin } from '../../support/service.ts'
import { faultOf, isLook, leakOnSocket } from './answers.ts'
import { foreignIn, servedObjects } from './content.ts'
import { type Coverage, codeOf } from './coverage.ts'
import { happen, SignedUrls } from './events.ts'
import { type Exchange, learn } from './learn.ts'
import { misleadingName } from './misleading.ts'
import { type Operation, operationAt } from './operations.ts'
import { isSecretFrom, tokensIn } from './oracle.ts'
import { assemble, forgedTokens, type Person } from './people.ts'
import { Pool } from './pool.ts'
import { forbiddenChanges, forbiddenToLook, isRow } from './refusals.ts'
import { exchange, Unsendable } from './send.ts'
import { SentContents } from './sent.ts'
import {
  type Change,
  changesBetween,
  type Elsewhere,
  emptyStores,
  type Row,
  type Snapshot,
  takeSnapshot,
} from './snapshot.ts'
import { isRequest, type RequestStep, type ResolvedRequest, resolve, type Step } from './step.ts'

/** What a step has shown to be wrong. `kind`: which of the promises it breaks. */
export class Fault extends Error {
  readonly kind: string
  constructor(what: string) {
    super(what)
    this.kind = what.split(':')[0] ?? what
  }
}

const reads = ['GET', 'HEAD', 'OPTIONS']
/** As many reads go by before it is looked whether one of them has changed something; any write looks, too. */
const READS = 4
/** As often it is looked whether a request that has nothing to do with inboxes, saves or objects has changed one. */
const OTHERS = 6

/** A few hundred steps of a few people who have only just come, over a database that holds nothing else. */
export class Round {
  readonly pool = new Pool()
  readonly people: Person[]
  readonly #tokens: string[]
  readonly #operations: Operation[]
  readonly #coverage: Coverage
  readonly #urls = new SignedUrls()
  readonly #sent = new SentContents()
  readonly #sockets: WebSocket[] = []
  /** Every id and marker that a user's inbox has once had, by user: many may get the same. */
  readonly #received = new Map<string, Set<string>>()
  #heard: { person: Person; message: string }[] = []
  #state: Snapshot
  #asked = 0

  private constructor(
    operations: Operation[],
    coverage: Coverage,
    people: Person[],
    tokens: string[],
    state: Snapshot,
  ) {
    this.#operations = operations
    this.#coverage = coverage
    this.people = people
    this.#tokens = tokens
    this.#state = state
  }

  static async begin(operations: Operation[], coverage: Coverage): Promise<Round> {
    await emptyStores()
    const people = await assemble()
    const tokens = await forgedTokens(people)
    return new Round(operations, coverage, people, tokens, await takeSnapshot(people))
  }

  /** Takes a step. Tells the upload that it has brought a signed URL for, if any. @throws Fault */
  async take(step: Step): Promise<string | undefined> {
    if (isRequest(step)) return this.#request(step)
    this.#coverage.events++
    await happen(step, this.pool, this.#urls)
    this.#state = await takeSnapshot(this.people)
    return undefined
  }

  /** Ends the round: what must hold whatever has happened holds for everybody. @throws Fault */
  async end(): Promise<void> {
    for (const socket of this.#sockets) socket.close(1000)
    this.#state = await takeSnapshot(this.people, this.#state)
    for (const object_key of servedObjects(this.#state)) await this.#expectOwn(object_key)
    for (const { user } of this.people)
      await expectSound(user.id).catch((error: Error) => {
        throw new Fault(`unsound: ${error.message}`)
      })
  }

  async #request(step: RequestStep): Promise<string | undefined> {
    const ids = this.people.map(({ user }) => user.id)
    const cast = { people: ids, tokens: this.#tokens }
    const exchanged = await this.#send(step, resolve(step, this.pool, cast))
    if (!exchanged) return undefined
    learn(this.pool, exchanged, ids)
    const { operation, request, answer } = exchanged
    if (operation?.id === 'completeUpload' && answer.status < 300)
      await this.#expectOwn(request.path.split('/')[3] ?? '')
    await this.#askOfNothing(step, exchanged)
    await this.#endMoves()
    return this.#urls.keep(exchanged)
  }

  /** Goes on with a move that is under way, as the command does: meanwhile users of its partitions would be told UNAVAILABLE. */
  async #endMoves(): Promise<void> {
    if (!(await isMoving())) return
    await endMoves()
    this.#state = await takeSnapshot(this.people, this.#state)
  }

  async #send(step: RequestStep, request: ResolvedRequest): Promise<Exchange | undefined> {
    const { who, number } = step
    const person = who === undefined ? undefined : this.people[who]
    const { pathname } = URL.canParse(origin + request.path)
      ? new URL(origin + request.path)
      : { pathname: '' }
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const operation = operationAt(this.#operations, method, pathname)
    const hear = (socket: WebSocket) => this.#hear(socket, person)
    try {
      const answer = await exchange(request, person, hear)
      const exchanged = { number, who, operation, request, answer }
      this.#coverage.count(exchanged)
      this.#sent.note(exchanged)
      await this.#check(exchanged, person)
      return exchanged
    } catch (error) {
      if (error instanceof Fault) throw error
      if (!(error instanceof Unsendable))
        throw new Fault(error instanceof Error ? error.message : String(error))
      this.#coverage.unsendable++
      return undefined
    }
  }

  async #check(exchanged: Exchange, person: Person | undefined): Promise<void> {
    const { operation, request, answer } = exchanged
    const before = this.#state
    const changes = await this.#look(request, isLook(exchanged))
    this.#receive(changes)
    const mayChange = answer.status < 400 && !reads.includes(request.method)
    const mayTakeIn = answer.status < 400 && isLook(exchanged)
    const refused = mayTakeIn
      ? forbiddenToLook(changes, this.#state)
      : forbiddenChanges(operation?.id ?? '', codeOf(answer.body) ?? '', changes)
    const forbidden = mayChange ? [] : refused
    if (forbidden.length > 0)
      throw new Fault(`a changed state after ${answer.status}: ${described(forbidden)}`)
    const caller = request.headers.Authorization === undefined ? person : undefined
    const fault =
      faultOf(exchanged, caller, this.#sent, before, this.#state) ??
      misleadingName(changes) ??
      this.#overheard(before)
    if (fault !== undefined) throw new Fault(`${fault}\nin ${answer.status} ${answer.text.slice(0, 2_000)}`)
    const isLetIn = caller && (operation?.scopes ?? []).every((scope) => caller.scopes.includes(scope))
    if (operation && !isLetIn && answer.status < 400 && request.method !== 'OPTIONS')
      throw new Fault(`an operation was reached without its token: ${operation.id}`)
    const reached = person && this.#secretsIn(namedIn(operation, request), person, before)
    // Anybody may be muted or reported, also under the id of a thing.
    const namesAnybody = ['muteUser', 'unmuteUser', 'createReport'].includes(operation?.id ?? '')
    const isAllowed =
      operation && (namesAnybody || operation.scopes.length > 0 || 'idempotency-key' in request.headers)
    if (reached?.length && answer.status < 300 && !isAllowed && request.method !== 'OPTIONS')
      throw new Fault(`another user's thing was reached: ${reached.join(', ')}`)
  }

  /** What has been completed, or stored by a request, is what its client sent, with what was signed. @throws Fault */
  async #expectOwn(object_key: string): Promise<void> {
    const foreign = await foreignIn(object_key, this.#state, this.#sent)
    if (foreign !== undefined) throw new Fault(`foreign content: ${object_key} holds ${foreign}`)
  }

  /** What has changed since it was looked the last time. */
  async #look({ method, path }: ResolvedRequest, mayTakeIn: boolean): Promise<Change[]> {
    this.#asked++
    if (!mayTakeIn && reads.includes(method) && this.#asked % READS > 0) return []
    const isTurn = this.#asked % OTHERS === 0
    const asked: Elsewhere[] = []
    if (isTurn || /notifications|users|moderation|reports|block$/.test(path)) asked.push('inbox')
    if (isTurn || /saves|users/.test(path)) asked.push('saves')
    if (isTurn || /uploads|branch$|content|preview|versions/.test(path)) asked.push('objects')
    const before = this.#state
    const after = await takeSnapshot(this.people, before, asked)
    const changes = changesBetween(before, after)
    if (changes.length > 0) this.#state = after
    return changes
  }

  /**
   * A refusal must not tell that another user's thing is there: one that is not there is refused in the same way. A
   * cursor of that thing's list is left out, since it tells as much to whoever holds it; so is an Idempotency-Key, which
   * belongs to one request and answers what that has made, and who gives verdicts, who may know of any upload.
   */
  async #askOfNothing(step: RequestStep, { operation, request, answer }: Exchange): Promise<void> {
    const person = step.who === undefined ? undefined : this.people[step.who]
    const hasKey = Object.keys(request.headers).some((name) => name.toLowerCase() === 'idempotency-key')
    const isBound = hasKey || request.path.includes('cursor=')
    if (!person || answer.status < 400 || isBound || isForChecker(operation, person)) return
    const secrets = this.#secretsIn(`${request.path} ${request.body ?? ''}`, person, this.#state)
    if (secrets.length === 0) return
    const instead = new Map(secrets.map((secret) => [secret, crypto.randomUUID()]))
    const replaced = (text: string) =>
      [...instead].reduce((changed, [secret, other]) => changed.replaceAll(secret, other), text)
    const twin = { ...request, path: replaced(request.path), body: request.body && replaced(request.body) }
    const other = await this.#send(step, twin)
    if (!other) return
    this.#coverage.twins++
    const [one, two] = [replaced(told(answer.text)), told(other.answer.text)]
    if (answer.status !== other.answer.status || one !== two)
      throw new Fault(`another user's thing is known by its refusal: ${one}\nand of nothing: ${two}`)
  }

  /** The ids in a text of what the person may not know of. */
  #secretsIn(text: string, person: Person, state: Snapshot): string[] {
    const ids = text.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? []
    return [...new Set(ids)].filter((id) => isSecretFrom(id, person, state))
  }

  #hear(socket: WebSocket, person: Person | undefined): void {
    socket.accept()
    this.#sockets.push(socket)
    socket.addEventListener('message', ({ data }) => {
      if (person) this.#heard.push({ person, message: String(data) })
    })
  }

  #receive(changes: Change[]): void {
    for (const { user_id, data } of changes.flatMap(inboxRow)) {
      const received = this.#received.get(String(user_id)) ?? new Set()
      this.#received.set(String(user_id), new Set([...received, ...tokensIn(String(data))]))
    }
  }

  #receivedBy({ user }: Person): ReadonlySet<string> {
    return this.#received.get(user.id) ?? new Set()
  }

  #overheard(before: Snapshot): string | undefined {
    const heard = this.#heard
    this.#heard = []
    return heard
      .map(({ person, message }) =>
        leakOnSocket(message, person, this.#receivedBy(person), before, this.#state),
      )
      .find(Boolean)
  }
}

/** The notification that a change has added to an inbox. */
function inboxRow({ table, column, after }: Change): Row[] {
  return table === 'inbox' && column === 'row' && isRow(after) ? [after] : []
}

/** Whether the operation tells a checker how things stand with an upload, whoever it belongs to. */
function isForChecker(operation: Operation | undefined, { scopes }: Person): boolean {
  return operation?.id === 'setVerdict' && scopes.includes('content:check')
}

/**
 * What a request's path names of anybody's. A slot is a name in the caller's own saves, whatever the caller chooses: it names
 * nothing of another user, and what comes back of it is looked through as any answer is.
 */
function namedIn(operation: Operation | undefined, { path }: ResolvedRequest): string {
  const { pathname } = new URL(origin + path)
  const [start = '', end] = operation?.path.split('{slot}') ?? []
  if (end === undefined) return pathname
  return pathname.slice(start.length).split('/').slice(1).join('/')
}

/** A refusal without what is another in each. */
function told(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, '')
}

function described(changes: Change[]): string {
  return changes
    .map(
      ({ table, key, column, before, after }) =>
        `${table} ${key} ${column} ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
    )
    .join('; ')
}
