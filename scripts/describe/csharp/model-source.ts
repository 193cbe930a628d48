/** The source of models. */

import { camel, pascal, text } from '../../../console/src/requests/csharp/names.ts'
import type { Member, Model, Type } from './models.ts'
import { braced, element, spaced, summary } from './source.ts'

/** The C# type of a value that is there. */
export function csharpType(type: Type): string {
  switch (type.kind) {
    case 'integer':
      return 'long'
    case 'number':
      return 'double'
    case 'boolean':
      return 'bool'
    case 'time':
      return 'DateTimeOffset'
    case 'duration':
      return 'TimeSpan'
    case 'map':
      return 'IReadOnlyDictionary<string, string>'
    case 'enumeration':
    case 'model':
      return type.name
    case 'list':
      return `IReadOnlyList<${csharpType(type.of)}>`
    default:
      return 'string'
  }
}

const isValue = ({ kind }: Type) =>
  ['integer', 'number', 'boolean', 'time', 'duration', 'enumeration'].includes(kind)

/** The C# type of a member: one that may be missing is nullable. */
export function memberType({ type, isRequired, isNullable }: Member): string {
  return isValue(type) && (!isRequired || isNullable) ? `${csharpType(type)}?` : csharpType(type)
}

/** What a member is. The description has the unit of a number, which a time and a text of JSON have not. */
function documented({ name, type, description }: Member, more?: string): string[] {
  const said =
    type.kind === 'time'
      ? capitalized(description?.replace(/^Unix seconds[.,:]?\s*/, '') ?? '')
      : type.kind === 'duration'
        ? description?.replace('this many seconds', 'this time')
        : description
  return summary(said || `The member \`${name}\``, type.kind === 'object' ? 'As JSON text' : undefined, more)
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

const isConstant = ({ type }: Member) => type.kind === 'constant'

/** Whether a member may be left out and may be null, and the two mean different things. */
const hasThreeStates = ({ isRequired, isNullable }: Member) => !isRequired && isNullable

export function modelSource(model: Model): string[] {
  const { name, description, uses, members, base, isAbstract, isRead, isWritten, headers, hasOffset } = model
  const properties = members
    .filter((member) => !isConstant(member))
    .map((member) => propertyOf(member, model))
  const added = [
    headers.has('ETag') && [
      ...element(
        'summary',
        'For <see cref="ChangeOptions.IfMatch"/>; null in a list, and from an operation whose answers have no ETag.',
      ),
      'public string ETag { get; internal set; }',
    ],
    headers.has('X-Inbox-Seq') && [
      ...summary('The number of the last change of the inbox that the answer contains'),
      'public long Seq { get; internal set; }',
    ],
    hasOffset && [...summary('How many items the pages before have'), 'internal long Offset { get; set; }'],
  ].filter((one) => one !== false)
  const methods = [
    isRead && reader(model),
    isRead && headers.size > 0 && headerReader(model),
    isWritten && (isAbstract ? ['internal abstract JObject ToJson();'] : writer(model)),
  ].filter((one) => one !== false)
  const about = description ?? [...uses].slice(0, 3).join(' ')
  const comment = description
    ? summary(description)
    : element('summary', about || `The schema <c>${name}</c>.`)
  const modifier = isAbstract ? 'abstract' : 'sealed'
  return [
    ...comment,
    ...braced(
      `public ${modifier} class ${name}${base ? ` : ${base}` : ''}`,
      spaced([...(isWritten ? fieldsOf(members) : []), ...properties, ...added, ...methods]),
    ),
  ]
}

/** The fields that keep whether a member has been assigned. */
function fieldsOf(members: Member[]): string[][] {
  const lines = members
    .filter(hasThreeStates)
    .flatMap((member) => [`${memberType(member)} ${camel(member.name)};`, `bool has${pascal(member.name)};`])
  return lines.length > 0 ? [lines] : []
}

function propertyOf(member: Member, { isWritten }: Model): string[] {
  const head = `public ${memberType(member)} ${member.property}`
  if (!isWritten) return [...documented(member), `${head} { get; internal set; }`]
  if (!hasThreeStates(member)) return [...documented(member), `${head} { get; set; }`]
  const field = camel(member.name)
  const comment = documented(member, 'Sent once it has been assigned, also when it is null')
  return [
    ...comment,
    ...braced(head, [
      `get { return ${field}; }`,
      ...braced('set', [`${field} = value;`, `has${pascal(member.name)} = true;`]),
    ]),
  ]
}

function reader({ name, members }: Model): string[] {
  const lines = members.map((member) => `${member.property} = ${reading(member)},`)
  return braced(`internal static ${name} Read(JObject from)`, [
    `return new ${name}`,
    '{',
    ...lines.map((line) => `    ${line}`),
    '};',
  ])
}

function headerReader({ name, headers }: Model): string[] {
  return braced(`internal static ${name} Read(JObject from, HttpAnswer answer)`, [
    'var read = Read(from);',
    ...(headers.has('ETag') ? ['read.ETag = ETags.Of(answer);'] : []),
    ...(headers.has('X-Inbox-Seq') ? ['read.Seq = Json.HeaderInteger(answer, "X-Inbox-Seq");'] : []),
    'return read;',
  ])
}

/** The expression that reads a member. */
function reading(member: Member): string {
  const name = text(member.name)
  const value = optional(member.type, name)
  return member.isRequired && !member.isNullable ? `Json.Required(${value}, ${name})` : value
}

function optional(type: Type, name: string): string {
  switch (type.kind) {
    case 'integer':
      return `Json.Integer(from, ${name})`
    case 'number':
      return `Json.Number(from, ${name})`
    case 'boolean':
      return `Json.Boolean(from, ${name})`
    case 'object':
      return `Json.ObjectText(from, ${name})`
    case 'time':
      return `Json.Time(from, ${name})`
    case 'map':
      return `Json.Map(from, ${name})`
    case 'enumeration':
      return `Enumerations.Read${type.name}(Json.Text(from, ${name}))`
    case 'model':
      return `Json.Model(from, ${name}, ${type.name}.Read)`
    case 'list':
      if (type.of.kind === 'model') return `Json.List(from, ${name}, ${type.of.name}.Read)`
      if (type.of.kind === 'text') return `Json.Texts(from, ${name})`
      throw new Error(`No answer had a list of ${type.of.kind} so far: ${name}`)
    default:
      return `Json.Text(from, ${name})`
  }
}

function writer({ name, members, base }: Model): string[] {
  const lines = members.map((member) => {
    const line = `json.${writing(member, name)};`
    return hasThreeStates(member) ? `if (has${pascal(member.name)}) ${line}` : line
  })
  return braced(`internal ${base ? 'override ' : ''}JObject ToJson()`, [
    'var json = new JObject();',
    ...lines,
    'return json;',
  ])
}

function writing({ name, property, type, isRequired, isNullable }: Member, model: string): string {
  if (type.kind === 'constant') return `Put(${text(name)}, ${text(type.value)})`
  const items = type.kind === 'list' && type.of.kind === 'model' ? ', item => item.ToJson()' : ''
  const value =
    type.kind === 'enumeration'
      ? `Enumerations.Text(${property})`
      : type.kind === 'model'
        ? `${property} == null ? null : ${property}.ToJson()`
        : property
  if (type.kind === 'object')
    return `Put${isRequired ? 'Required' : ''}Json(${text(name)}, ${value}, ${text(`${model}.${property}`)})`
  if (isNullable) return `PutNullable(${text(name)}, ${value}${items})`
  if (isRequired && !isValue(type))
    return `PutRequired(${text(name)}, ${value}${items}, ${text(`${model}.${property}`)})`
  return `Put(${text(name)}, ${value}${items})`
}
