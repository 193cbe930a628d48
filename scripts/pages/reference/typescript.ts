/** Examples with the project's own client. test/e2e/reference.test.ts compiles all of them. */
import { callOf } from '../../describe/client/names.ts'
import { type Description, nameOf, type Schema } from '../../describe/description.ts'
import type { Call } from './call.ts'
import { isObject } from './sample.ts'

/** Operations for which the client has more than a method. `CALL` is the call of that method. */
const special: Record<string, string> = {
  startUpload: `// All steps at once, of a File, a Blob or bytes
const file = await client.files.upload(
  { content, name: 'forest.png' },
  { onStarted: ({ id }) => keep(id) }, // to resume with
)

// This step alone
CALL`,
  getUpload: `// Resumes the upload: sends what is missing.
const file = await client.files.upload(
  { content },
  { uploadId: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
)

// Its state alone
CALL`,
  presignParts: `// files.upload does it by itself. This step alone:
CALL`,
  completeUpload: `// files.upload does it by itself. This step alone:
CALL`,
  createContent: `const file = await client.files.upload({
  content,
  name: 'forest.png',
  mime_type: 'image/png',
})`,
  replaceContent: `const file = await client.files.upload(
  {
    content,
    file_id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
  },
  { ifMatch: '"3"' },
)`,
  getContent: `const response = await client.files.download({
  id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
  size_bytes: 512,
})
const bytes = await response.arrayBuffer()`,
  getDownloadUrl: `CALL

// Or the content itself
const response = await client.files.download({
  id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
})`,
  getSharedUrl: `CALL

// Or the content itself
const response = await client.shares.download({
  id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
})`,
  getVersionUrl: `CALL

// Or the content itself
const response = await client.assets.download({
  id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
  version: 1,
})`,
  setPreview: `const asset = await client.assets.setPreview({
  id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60',
  content: picture,
  mime_type: 'image/png',
})`,
  writeSave: `const save = await client.saves.write({
  slot: 'auto',
  bytes,
  label: 'The old mill',
  played_seconds: 7_200,
})`,
  readSave: `const { bytes, revision, label } = await client.saves.read({
  slot: 'auto',
})`,
  openSocket: `const inbox = client.inbox.open()
inbox.on('change', ({ notifications, unread }) => {
  console.log(unread, notifications)
})
inbox.on('notification', ({ type, data }) => {
  console.log(type, data)
})`,
  markNotificationsRead: `CALL

// With an open inbox, which shows it at once
await inbox.markAllRead()`,
  deleteNotifications: `CALL

// With an open inbox, which shows it at once
await inbox.deleteRead()`,
  getProfilePicture: `const { profiles } = await client.profiles.get({
  user_ids: ['ada'],
})
image.src = profiles[0]?.picture_url ?? 'nobody.svg'`,
  getPreview: `const { preview_url } = await client.assets.get({
  id: '019a7e34-77aa-7000-b1c6-9f3e8d2a4b05',
})
image.src = preview_url ?? 'no-preview.svg'`,
}

/** What the answer of a schema is called; the others are taken apart. */
const names: Record<string, string> = {
  Announcement: 'announcement',
  AssetVersion: 'version',
  ChangedFile: 'file',
  FileRecord: 'file',
  GameAsset: 'asset',
  GameAssetWithVersions: 'asset',
  Notification: 'notification',
  Profile: 'profile',
  Quota: 'quota',
  Share: 'share',
  ShareList: 'shares',
  Upload: 'upload',
}

/** The call of the client that sends a request. */
export function typescriptOf(call: Call, description: Description): string {
  const own = special[call.operation.id]
  const plain = () => methodCall(call, description)
  return own === undefined ? plain() : own.replace('CALL', plain)
}

function methodCall({ operation, inPath, query, body }: Call, description: Description): string {
  const { id, parameters, answers } = operation
  const { asset_type, ...others } = body ?? {}
  const given = { ...inPath, ...query, ...(id === 'createFolder' ? others : body) }
  const named = callOf(id)
  if (!named) throw new Error(`The client has no call for ${id}.`)
  const call = `${named.isStudio ? 'studio' : 'client'}.${named.call}`
  const callAfter = (before: string) =>
    `${before}${call}(${Object.keys(given).length > 0 ? literal(given, { before: before.length + call.length - 6 }) : ''})`
  const schema = answers.find((answer) => answer.schema)?.schema
  if (!schema) return callAfter('await ')
  if (!parameters.some(({ name }) => name === 'cursor' || name === 'offset'))
    return callAfter(`const ${variableOf(schema, description)} = await `)
  const items = itemsOf(schema, description)
  const single = items.endsWith('ches') ? items.slice(0, -2) : items.slice(0, -1)
  const item = single === 'case' ? 'one' : single // `case` is a word of the language.
  return `${callAfter(`const ${items} = `)}\nfor await (const ${item} of ${items}) console.log(${item})`
}

function variableOf(schema: Schema, description: Description): string {
  const name = names[nameOf(schema) ?? '']
  if (name) return name
  const { oneOf = [], ...whole } = description.resolved(schema)
  const { properties = {}, required = [] } = oneOf[0] ? description.resolved(oneOf[0]) : whole
  // Of a choice, the members of all its schemas.
  const members = Object.keys(properties).filter(
    (member) =>
      required.includes(member) &&
      oneOf.every((one) => member in (description.resolved(one).properties ?? {})),
  )
  return `{ ${members.slice(0, 4).join(', ')} }`
}

/** What the items of a page are called. */
function itemsOf(schema: Schema, description: Description): string {
  const { properties = {} } = description.resolved(schema)
  const [items = 'items'] =
    Object.entries(properties).find(([, member]) => description.resolved(member).items) ?? []
  return items === 'blocked' ? 'items' : items
}

const WIDTH = 50

/** A value in TypeScript, on one line if that is short. `before`: the characters before it in its line. */
function literal(value: unknown, { indent = '', before = 0 } = {}): string {
  if (typeof value === 'string') return value.includes("'") ? JSON.stringify(value) : `'${value}'`
  if (typeof value === 'number') return value.toString().replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, '_')
  const inside = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, { indent: inside }))
    : isObject(value)
      ? Object.entries(value).map(
          ([name, one]) => `${name}: ${literal(one, { indent: inside, before: name.length })}`,
        )
      : undefined
  if (!parts) return JSON.stringify(value)
  const [open, close, space] = Array.isArray(value) ? ['[', ']', ''] : ['{', '}', ' ']
  const line = `${open}${space}${parts.join(', ')}${space}${close}`
  if (before + indent.length + line.length <= WIDTH) return line
  return `${open}\n${parts.map((part) => `${inside}${part},\n`).join('')}${indent}${close}`
}
