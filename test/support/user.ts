import { env } from 'cloudflare:workers'
import type { z } from '@hono/zod-openapi'
import { expect } from 'vitest'
import * as files from '../../src/features/files/schema.ts'
import * as profiles from '../../src/features/profiles/schema.ts'
import { Quota } from '../../src/features/quota/schema.ts'
import * as shares from '../../src/features/shares/schema.ts'
import { TrashPage } from '../../src/features/trash/schema.ts'
import * as uploads from '../../src/features/uploads/schema.ts'
import { type Answer, made, type RequestOptions, send } from './answer.ts'
import { newIdentity } from './identities.ts'
import { png } from './pictures.ts'
import { Upload } from './records.ts'
import type { Fetch } from './service.ts'

const [CompletedFile] = uploads.CompletedUpload.options

type FileRecord = z.output<typeof files.FileRecord>
type ChangedFile = z.output<typeof files.ChangedFile>

/** The answer about one of several files. */
interface UrlOrCode {
  id: string
  url?: string
  expires_at?: number
  code?: string
}

/** A new user, signed in. */
export async function signUp(name = 'user', service?: Fetch): Promise<User> {
  const { id, token } = await newIdentity(name)
  return new User(id, token, service)
}

/** One of the studio's own services, with the scopes that it was given. */
export async function operator(scope: string, service?: Fetch): Promise<User> {
  const { id, token } = await newIdentity('operator', scope)
  return new User(id, token, service)
}

export const id = (item: string | { id: string }) => (typeof item === 'string' ? item : item.id)

/** A user of the service. Each method is one action of a client. */
export class User {
  readonly id: string
  readonly token: string
  readonly #service: Fetch | undefined

  constructor(id: string, token: string, service?: Fetch) {
    this.id = id
    this.token = token
    this.#service = service
  }

  /** The same user with another way to send requests. */
  through(service: Fetch): User {
    return new User(this.id, this.token, service)
  }

  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const headers = { Authorization: `Bearer ${this.token}`, ...options.headers }
    return send(method, `/v1${path}`, { ...options, headers }, this.#service)
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.request('GET', path, { headers })
  }

  createFolder(json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', '/files', { json, headers })
  }

  /** Makes a folder. Fails unless it succeeds. */
  async folder(name = 'folder', { in: parent }: { in?: string | { id: string } } = {}): Promise<ChangedFile> {
    const parent_id = parent && id(parent)
    return made(files.ChangedFile, await this.createFolder({ name, asset_type: 'folder', parent_id }), 201)
  }

  change(item: string | { id: string }, json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('PATCH', `/files/${id(item)}`, { json, headers })
  }

  move(item: string | { id: string }, { into }: { into: string | { id: string } | null }): Promise<Answer> {
    return this.change(item, { parent_id: into && id(into) })
  }

  delete(item: string | { id: string }, headers?: Record<string, string>): Promise<Answer> {
    return this.request('DELETE', `/files/${id(item)}`, { headers })
  }

  /** The item as the user sees it now. Fails unless it succeeds. */
  async read(item: string | { id: string }) {
    return made(files.FileWithAncestors, await this.get(`/files/${id(item)}`), 200)
  }

  /** A page of items. Fails unless it succeeds. */
  async page(query: Record<string, string | number> = {}) {
    const params = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return made(files.FilePage, await this.get(`/files?${params}`), 200)
  }

  /** The names in a folder, page by page. */
  async names(query: Record<string, string | number> = {}): Promise<string[]> {
    const names: string[] = []
    let cursor: string | null = null
    do {
      const page: z.output<typeof files.FilePage> = await this.page({ ...query, ...(cursor && { cursor }) })
      names.push(...page.files.map((file) => file.name))
      cursor = page.next_cursor
    } while (cursor)
    return names
  }

  restore(item: string | { id: string }): Promise<Answer> {
    return this.request('POST', `/trash/${id(item)}/restore`)
  }

  purge(item: string | { id: string }): Promise<Answer> {
    return this.request('DELETE', `/trash/${id(item)}`)
  }

  /** The names in the trash, most recent deletion first. */
  async trashed(): Promise<string[]> {
    return made(TrashPage, await this.get('/trash?limit=500'), 200).files.map(({ name }) => name)
  }

  createShare(
    item: string | { id: string },
    json: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('POST', `/files/${id(item)}/shares`, { json, headers })
  }

  /** Shares a file with another user. Fails unless it succeeds. */
  async share(item: string | { id: string }, grantee: User, expires_at?: number) {
    const body = { grantee_id: grantee.id, permission: 'view', expires_at }
    return made(shares.Share, await this.createShare(item, body), 201)
  }

  revoke(share: string | { id: string }): Promise<Answer> {
    return this.request('DELETE', `/shares/${id(share)}`)
  }

  sharedUrl(share: string | { id: string }): Promise<Answer> {
    return this.get(`/shares/${id(share)}/url`)
  }

  /** What has been shared with the user, newest first. */
  async sharedWithMe() {
    return made(shares.SharedWithMePage, await this.get('/shares'), 200).shares
  }

  /** Uploads a picture that can be chosen. */
  picture(name = 'me.png', declared: Record<string, unknown> = {}): Promise<FileRecord> {
    return this.file(name, png, { asset_type: 'profile_pic', mime_type: 'image/png', ...declared })
  }

  setProfile(picture: string | { id: string } | null): Promise<Answer> {
    return this.request('PUT', '/profile', { json: { picture_id: picture && id(picture) } })
  }

  /** Chooses a picture. Fails unless it succeeds. */
  async choose(picture: string | { id: string } | null) {
    return made(profiles.Profile, await this.setProfile(picture), 200)
  }

  /** The profiles of these users. Fails unless it succeeds. */
  async profiles(...users: (string | { id: string })[]) {
    const json = { user_ids: users.map(id) }
    return made(profiles.Profiles, await this.request('POST', '/profiles', { json }), 200).profiles
  }

  async quota() {
    return made(Quota, await this.get('/quota'), 200)
  }

  startUpload(json: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', '/uploads', { json, headers })
  }

  /** Starts an upload. Fails unless it succeeds. */
  async upload(declared: Record<string, unknown>): Promise<Upload> {
    const body = { upload_type: 'file', name: 'file', mime_type: 'application/octet-stream', ...declared }
    return made(Upload, await this.startUpload(body), 201)
  }

  complete(
    upload: string | { id: string },
    json?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    return this.request('POST', `/uploads/${id(upload)}/complete`, { json, headers })
  }

  /** Requests the URLs of parts. The answer also has the parts that have arrived. */
  parts(upload: string | { id: string }, json?: unknown): Promise<Answer> {
    return this.request('POST', `/uploads/${id(upload)}/parts`, { json })
  }

  abort(upload: string | { id: string }): Promise<Answer> {
    return this.request('DELETE', `/uploads/${id(upload)}`)
  }

  /** Uploads content to a new file, the whole way. Fails unless it succeeds. */
  async file(
    name: string,
    content: string | Uint8Array,
    declared: Record<string, unknown> = {},
  ): Promise<FileRecord> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    const upload = await this.upload({ name, size_bytes: bytes.length, ...declared })
    expect((await put(upload, bytes)).status).toBe(200)
    return made(CompletedFile, await this.complete(upload), 200).file
  }

  /** Sends content in one request: `query` has the name of a new file. */
  createContent(
    content: BodyInit,
    query: Record<string, string> = { name: 'file' },
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const options = { body: content, headers: { 'Content-Type': 'text/plain', ...headers } }
    return this.request('POST', `/files/content?${new URLSearchParams(query)}`, options)
  }

  /** Makes a file with its content in one request. Fails unless it succeeds. */
  async content(name: string, content: BodyInit, headers: Record<string, string> = {}): Promise<FileRecord> {
    return made(files.FileRecord, await this.createContent(content, { name }, headers), 201)
  }

  replaceContent(
    item: string | { id: string },
    content: BodyInit,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const options = { body: content, headers: { 'Content-Type': 'text/plain', ...headers } }
    return this.request('PUT', `/files/${id(item)}/content`, options)
  }

  readContent(item: string | { id: string }, headers?: Record<string, string>): Promise<Answer> {
    return this.get(`/files/${id(item)}/content`, headers)
  }

  /** The URLs of files, or the codes of errors. Fails unless it succeeds. */
  async urls(ids: string[]) {
    const answer = await this.request('POST', '/files/urls', { json: { ids } })
    const { urls } = made(files.DownloadUrls, answer, 200)
    return urls.map((one): UrlOrCode => one)
  }

  /** Downloads a file's content the way a client does. */
  async download(item: string | { id: string }, headers?: Record<string, string>): Promise<Response> {
    const { url } = made(files.DownloadUrl, await this.get(`/files/${id(item)}/url`), 200)
    return this.fetchSigned(url, headers)
  }

  /** Downloads from a signed URL. */
  fetchSigned(url: string, headers?: Record<string, string>): Promise<Response> {
    return env.S3.fetch(url, { headers })
  }
}

/** Sends content to an upload's signed URL, as the upload says. */
export function put(
  upload: Upload,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  return env.S3.fetch(upload.url ?? '', {
    method: 'PUT',
    body: bytes,
    headers: { ...upload.headers, ...headers },
  })
}
