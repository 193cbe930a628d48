/** The source of the client's methods: one for each operation. */
import { camel, text } from '../../../console/src/requests/csharp/names.ts'
import { errorCodes } from '../../../src/platform/errors.ts'
import { mayBeRepeated } from '../repeatable.ts'
import { answersContent, answersHeader, isOfSaves, sendsContent } from './description.ts'
import type { Method, PathParameter } from './methods.ts'
import { csharpType } from './model-source.ts'
import { type QueryMember, queryName } from './queries.ts'
import { braced, element, indented, signature, spaced, summary } from './source.ts'

/** What a method takes, in order, except its `cancel`. */
function parametersOf({ operation, path, body, query, options, takesReason }: Method): string[] {
  const isOptional = body !== undefined && !operation.body?.isRequired
  const isQueryRequired = query.some(({ isRequired }) => isRequired)
  return [
    ...path.map(({ name, type }) => `${csharpType(type)} ${camel(name)}`),
    ...(body ? [`${body.name} body${isOptional ? ' = null' : ''}`] : []),
    ...(sendsContent(operation) ? ['HttpBody content', 'string mimeType'] : []),
    ...(query.length > 0 ? [`${queryName(operation)} query${isQueryRequired ? '' : ' = null'}`] : []),
    ...(options ? [`${options} options = null`] : []),
    ...(takesReason ? ['string auditReason = null'] : []),
  ]
}

function methodSource(method: Method): string[] {
  const { name, items, answer, operation } = method
  const visibility = isOfSaves(operation) ? 'internal' : 'public'
  const parameters = parametersOf(method)
  const cancel = 'CancellationToken cancel = default(CancellationToken)'
  if (items && answer?.kind === 'model')
    return [
      ...commentOf(method),
      ...braced(
        signature(`${visibility} ItemList<${answer.name}, ${csharpType(items.type)}> ${name}`, parameters),
        listBody(method, answer.name, items),
      ),
    ]
  const result = answersContent(operation)
    ? 'Task<ContentAnswer>'
    : answer
      ? `Task<${csharpType(answer)}>`
      : 'Task'
  return [
    ...commentOf(method),
    ...braced(signature(`${visibility} ${result} ${name}`, [...parameters, cancel]), [
      ...checksOf(method),
      ...statement('var request = ', requestOf(method)),
      ...(method.body?.members.some(({ name }) => name === 'persistent')
        ? ['if (body.Persistent == false) request.WithoutKey();']
        : []),
      `return ${sending(method, 'request')};`,
    ]),
  ]
}

/** Whether a code is one that a correct client does not meet. */
function isMistake(code: string): boolean {
  const [, [, , advice = ''] = []] = Object.entries(errorCodes).find(([name]) => name === code) ?? []
  return advice === '' || advice.startsWith('A mistake in the client')
}

/** A comment with what the operation does, and the codes that a caller handles. */
function commentOf({ operation: { summary: title, description, ownCodes } }: Method): string[] {
  const listed = [...new Set(ownCodes)].filter((code) => !isMistake(code))
  const exception = listed.map((code) => `<c>${code}</c>`).join(', ')
  return [
    ...summary(title, description),
    ...(listed.length > 0 ? element('exception', `${exception}.`, ' cref="StorageException"') : []),
  ]
}

/** The first statements: what must be given. */
function checksOf({ operation, body, query }: Method): string[] {
  const needed = [
    body && operation.body?.isRequired && 'body',
    sendsContent(operation) && 'content',
    query.some(({ isRequired }) => isRequired) && 'query',
  ].filter((one) => typeof one === 'string')
  const isOptional = query.length > 0 && !needed.includes('query')
  return [
    ...needed.map((name) => `if (${name} == null) throw new ArgumentNullException("${name}");`),
    ...(isOptional ? [`query = query ?? new ${queryName(operation)}();`] : []),
  ]
}

/** A statement whose first line follows `head`. */
function statement(head: string, lines: string[]): string[] {
  return lines.map(
    (line, index) => (index === 0 ? head + line : line) + (index === lines.length - 1 ? ';' : ''),
  )
}

/** The expression of the request: its path, and a line for each thing that it carries. */
function requestOf(
  { operation, path, body, query, options, takesMatch, takesReason }: Method,
  position?: string,
): string[] {
  const { method, needsToken } = operation
  const names = path.map(({ name }) => name)
  const repeats = mayBeRepeated(operation.id, method, names)
  const flags = [
    repeats && 'IsRepeatable = true',
    !needsToken && 'IsPublic = true',
    answersContent(operation) && 'AnswersContent = true',
  ].filter((one) => typeof one === 'string')
  const initial = flags.length > 0 ? ` { ${flags.join(', ')} }` : ''
  const head = `new Request(${text(`${method} ${operation.path}`)}, ${pathOf(operation.path, path)})${initial}`
  const steps = [
    ...query.map((one) => parameterStep(one, position)),
    takesReason && '.WithReason(auditReason)',
    body &&
      (operation.body?.isRequired
        ? '.WithJson(body.ToJson())'
        : '.WithJson(body == null ? null : body.ToJson())'),
    sendsContent(operation) && '.WithContent(content, mimeType)',
    options === 'CreationOptions' && `.Creating(options${takesMatch ? ', true' : ''})`,
    options === 'ChangeOptions' && '.Changing(options)',
  ].filter((one) => typeof one === 'string')
  return [head, ...indented(steps)]
}

function parameterStep(
  { in: place, name, property, type, isRequired }: QueryMember,
  position?: string,
): string {
  const given = `query.${property}`
  const isPosition = position !== undefined && ['cursor', 'offset'].includes(name)
  const value = isPosition ? position : type.kind === 'enumeration' ? `Enumerations.Text(${given})` : given
  // A value that is no text can't be missing.
  const needed = isRequired && type.kind === 'text' ? `Request.Needed(${value}, "query.${property}")` : value
  return `.${place === 'header' ? 'WithHeader' : 'With'}(${text(name)}, ${needed})`
}

/** The expression of a path with its parameters. */
function pathOf(path: string, parameters: PathParameter[]): string {
  const parts = path.split(/\{(\w+)\}/).flatMap((part, index) => {
    if (index % 2 === 0) return part === '' ? [] : [text(part)]
    const type = parameters.find(({ name }) => name === part)?.type
    const name = camel(part)
    const value = type?.kind === 'enumeration' ? `Enumerations.Text(${name})` : name
    return [`Paths.Part("${name}", ${value})`]
  })
  return parts.join(' + ')
}

/** What the client does with a request of these operations besides sending it (engines/unity/Runtime/Mutes/MutedUsers.cs). */
const around: Record<string, (sent: string) => string> = {
  browseAssets: (sent) => `mutedUsers.LeaveOutAsync(${sent}, cancel)`,
  muteUser: (sent) => `mutedUsers.RememberAsync(userId, true, ${sent})`,
  unmuteUser: (sent) => `mutedUsers.RememberAsync(userId, false, ${sent})`,
}

/** When an answer lacks the headers that it has otherwise. */
const withoutHeaders: Record<string, string> = {
  getAsset: 'query.ChannelKey != null',
}

/** The expression that sends a request, reads its answer, and does with it what the client does besides. */
function sending(method: Method, request: string): string {
  const sent = plainSending(method, request)
  return around[method.operation.id]?.(sent) ?? sent
}

/** The expression that sends a request and reads its answer. */
function plainSending({ operation, answer }: Method, request: string): string {
  if (answersContent(operation)) return `transport.SendForContentAsync(${request}, cancel)`
  if (!answer) return `transport.SendAsync(${request}, cancel)`
  if (answer.kind === 'list')
    return `transport.SendForListAsync(${request}, ${csharpType(answer.of)}.Read, cancel)`
  const hasHeaders = ['ETag', 'X-Inbox-Seq'].some((header) => answersHeader(operation, header))
  const type = csharpType(answer)
  const read = `${type}.Read(from${hasHeaders ? ', answer' : ''})`
  const without = withoutHeaders[operation.id]
  return `transport.SendAsync(${request}, (from, answer) => ${without ? `${without} ? ${type}.Read(from) : ` : ''}${read}, cancel)`
}

/** The body of a method that answers a list. */
function listBody(method: Method, page: string, items: NonNullable<Method['items']>): string[] {
  const { property, type, paging } = items
  const start = checksOf(method)
  const head = `return new ItemList<${page}, ${csharpType(type)}>(`
  if (paging === 'cursor')
    return [
      ...start,
      head,
      ...indented([
        '(last, cancel) =>',
        ...braced('', [
          ...statement('var request = ', requestOf(method, 'last == null ? query.Cursor : last.NextCursor')),
          `return ${sending(method, 'request')};`,
        ]).slice(1),
      ]).map((line, index, all) => (index === all.length - 1 ? `${line},` : line)),
      ...indented([`page => page.${property},`, 'page => page.NextCursor != null);']),
    ]
  return [
    ...start,
    head,
    ...indented([
      'async (last, cancel) =>',
      '{',
      ...indented([
        `var offset = last == null ? query.Offset ?? 0 : last.Offset + last.${property}.Count;`,
        ...statement('var request = ', requestOf(method, 'offset')),
        `var read = await ${sending(method, 'request')};`,
        'read.Offset = offset;',
        'return read;',
      ]),
      '},',
      `page => page.${property},`,
      `page => page.${property}.Count > 0 && page.Offset + page.${property}.Count < page.Total);`,
    ]),
  ]
}

export function operationsSource(methods: Method[]): string[] {
  return braced('public sealed partial class GameStorage', spaced(methods.map(methodSource)))
}
