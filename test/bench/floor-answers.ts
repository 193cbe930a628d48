import { AwsClient } from 'aws4fetch'
import type { Shape } from './paths.ts'

/** A row of a result, by its columns. */
export type Row = Record<string, string | number | null>

/** Where objects live, and who signs for them. */
export interface SigningEnv {
  S3_ENDPOINT: string
  S3_ACCESS_KEY_ID: string
  S3_SECRET_ACCESS_KEY: string
}

interface Answered {
  /** The rows of each statement, in the order in which they were sent. */
  rows: Row[][]
  user_id: string | undefined
  env: SigningEnv
  now: number
}

const PAGE = 100
const DOWNLOAD_TTL = 900
const UPLOAD_TTL = 3_600

/** How the floor writes each answer; `teachFloor` makes sure that it is what the service writes. */
export const answers: Record<Shape, (answered: Answered) => object | Promise<object>> = {
  token: ({ user_id }) => ({ user_id }),
  list: ({ rows }) => {
    const page = rows.at(-1) ?? []
    const files = page.slice(0, PAGE)
    const last = files.at(-1)
    const next_cursor =
      page.length > PAGE && last ? btoa(JSON.stringify([last.parent_id, last.name, last.id])) : null
    return { files: files.map(listedRecord), next_cursor }
  },
  item: ({ rows: [path = []] }) => ({
    file: fileRecord(path[0] ?? {}),
    ancestors: path
      .slice(1)
      .reverse()
      .map(({ id, name, asset_type }) => ({ id, name, asset_type })),
  }),
  created: ({ rows: [, [folder = {}] = []] }) => changedRecord(folder),
  changed: ({ rows: [[file = {}] = []] }) => changedRecord(file),
  upload: async ({ rows: [, [file = {}] = [], [upload = {}] = []], env, now }) => {
    const { id, upload_type, state, size_bytes, expires_at, mime_type } = upload
    const headers = {
      'Content-Length': String(size_bytes),
      'Content-Type': String(mime_type),
      'Content-Disposition': disposition(file),
      'If-None-Match': '*',
    }
    const url = await signed(env, 'PUT', String(id), headers, {}, UPLOAD_TTL, now)
    const url_expires_at = now + UPLOAD_TTL
    return {
      id,
      upload_type,
      state,
      size_bytes,
      expires_at,
      method: 'PUT',
      url,
      url_expires_at,
      headers,
      file: fileRecord(file),
    }
  },
  download: async ({ rows: [[file = {}] = []], env, now }) => {
    const query = { 'response-content-disposition': disposition(file) }
    const url = await signed(env, 'GET', String(file.object_key), {}, query, DOWNLOAD_TTL, now)
    return { url, expires_at: now + DOWNLOAD_TTL }
  },
}

function changedRecord({
  id,
  owner_id,
  parent_id,
  name,
  asset_type,
  size_bytes,
  is_public,
  created_at,
  updated_at,
}: Row) {
  return {
    id,
    owner_id,
    parent_id,
    name,
    asset_type,
    size_bytes,
    is_public: is_public === 1,
    created_at,
    updated_at,
  }
}

function fileRecord(row: Row) {
  const { mime_type, processing_state } = row
  return { ...changedRecord(row), mime_type, processing_state }
}

function listedRecord(row: Row) {
  return row.asset_type === 'folder' ? { ...fileRecord(row), shortcode: null } : fileRecord(row)
}

function disposition({ name }: Row): string {
  return `attachment; filename="${name}"`
}

let client: AwsClient | undefined

async function signed(
  { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: SigningEnv,
  method: string,
  object_key: string,
  headers: Record<string, string>,
  query: Record<string, string>,
  ttl: number,
  now: number,
): Promise<string> {
  client ??= new AwsClient({
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    service: 's3',
    region: 'auto',
  })
  const url = new URL(`${S3_ENDPOINT}/edge-game-storage/${object_key}`)
  for (const [name, value] of Object.entries({ ...query, 'X-Amz-Expires': String(ttl) }))
    url.searchParams.set(name, value)
  const datetime = new Date(now * 1000).toISOString().replace(/[:-]|\.\d{3}/g, '')
  const aws = { signQuery: true, allHeaders: true, datetime }
  return (await client.sign(url, { method, headers, aws })).url
}
