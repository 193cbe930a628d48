import type { Description, Operation, Parameter } from '../../describe/description.ts'
import { isObject, sampleOf } from './sample.ts'

/** The address that examples have. The page replaces it with its own. */
export const ORIGIN = 'http://localhost:8787'

/** A request with the values of its examples. */
export interface Call {
  operation: Operation
  method: string
  /** The path with its query. */
  path: string
  url: string
  needsToken: boolean
  inPath: Record<string, unknown>
  query: Record<string, unknown>
  headers: [name: string, value: string][]
  /** The members of a JSON body. */
  body?: Record<string, unknown>
  /** The file with the content of the body. */
  bytes?: string
  /** The file for the content of the answer. */
  answersBytes?: string
  answersJson: boolean
}

/** Members of the query that examples have although they may be left out. */
const queries: Record<string, Record<string, unknown>> = {
  listFiles: { parent_id: '019a7e2c-6f7a-7000-9d3c-2b9f4e1a5c60' },
  createContent: { name: 'forest.png' },
  browseAssets: { tag: ['horror'], sort: 'popular' },
  listAssets: { type: 'world' },
  listNotifications: { state: 'unread' },
  openSocket: { after: 42 },
}

/** Headers that examples have although they may be left out. */
const headers: Record<string, [string, string][]> = {
  createContent: [['Content-Type', 'image/png']],
  replaceContent: [
    ['Content-Type', 'image/png'],
    ['If-Match', '"3"'],
  ],
  setPreview: [['Content-Type', 'image/png']],
  writeSave: [
    ['Content-Type', 'application/octet-stream'],
    ['If-Match', '"3"'],
  ],
}

/** The file of each body of bytes. */
const files: Record<string, string> = {
  createContent: 'forest.png',
  replaceContent: 'forest.png',
  getContent: 'forest.png',
  setPreview: 'preview.png',
  getPreview: 'preview.png',
  getProfilePicture: 'picture.png',
  writeSave: 'auto.save',
  readSave: 'auto.save',
}

export function callOf(operation: Operation, description: Description): Call {
  const { id, method, parameters, body, answers, needsToken } = operation
  const sample = ({ schema }: Parameter) => sampleOf(schema, description)
  const named = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place)
  const inPath = Object.fromEntries(named('path').map((one) => [one.name, sample(one)]))
  const required = named('query').filter((one) => one.required)
  const query = { ...Object.fromEntries(required.map((one) => [one.name, sample(one)])), ...queries[id] }
  const path = Object.entries(inPath).reduce(
    (path, [name, value]) => path.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path,
  )
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])),
  )
  const whole = search.size > 0 ? `${path}?${search}` : path
  const members = body?.isJson ? sampleOf(body.schema, description) : undefined
  const file = files[id]
  return {
    operation,
    method,
    path: whole,
    url: ORIGIN + whole,
    needsToken,
    inPath,
    query,
    headers: headers[id] ?? [],
    ...(isObject(members) && { body: members }),
    ...(body && !body.isJson && file && { bytes: file }),
    ...(answers.some(({ bytes }) => bytes) && file && { answersBytes: file }),
    answersJson: answers.some(({ schema }) => schema !== undefined),
  }
}
