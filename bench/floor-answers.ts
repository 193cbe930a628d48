import { createSigner, type SignedUrl, type Signer } from '../src/platform/storage/presign.ts'
import type { Shape } from './paths.ts'

/** A row of a result, by column. */
export type Row = Record<string, string | number | null>

/** The S3 endpoint, and the keys that sign URLs for it. */
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
const ASSET_PAGE = 50
const DOWNLOAD_TTL = 900
const UPLOAD_TTL = 3_600

/** Makes each answer of the floor. `teachFloor` compares it with the service's. */
export const answers: Record<Shape, (answered: Answered) => object | Promise<object>> = {
  token: ({ user_id }) => ({ user_id }),
  list: ({ rows }) => {
    // The last statement reads the blocked items, of which the bench has none.
    const page = rows.at(-2) ?? []
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
  upload: async ({ rows: [, , , [upload = {}] = [], [file = {}] = []], env, now }) => ({
    ...uploadRecord(upload),
    file: fileRecord(file),
    state: upload.state,
    ...(await wayToSend(upload, file, env, now)),
  }),
  content: ({ rows: [, [file = {}] = []] }) => fileRecord(file),
  download: ({ rows: [[file = {}] = []], env, now }) => signedDownload(file, env, now),
  downloads: async ({ rows: [path = []], env, now }) => {
    const files = path.filter(({ object_key }) => object_key !== null)
    const sign = async (file: Row) => ({ id: file.id, ...(await signedDownload(file, env, now)) })
    return { urls: await Promise.all(files.map(sign)) }
  },
  'asset downloads': async ({ rows: [assets = []], env, now }) => {
    const sign = async (asset: Row) => ({
      asset_id: asset.id,
      version: asset.current_version,
      ...(await signedDownload(asset, env, now)),
    })
    return { urls: await Promise.all(assets.map(sign)) }
  },
  assets: ({ rows: [page = []] }) => {
    const assets = page.slice(0, ASSET_PAGE)
    const last = assets.at(-1)
    const next_cursor =
      page.length > ASSET_PAGE && last
        ? btoa(JSON.stringify(['assets', last.position ?? null, last.id]))
        : null
    return { assets: assets.map(assetSummary), next_cursor }
  },
  asset: ({ rows: [[asset = {}] = [], versions = []] }) => ({
    ...assetRecord(asset),
    versions: versions.map(versionRecord),
  }),
  // The look at the source comes first, so the branch is the last asset, with the last version.
  branch: ({ rows }) => {
    const all = rows.flat()
    return {
      asset: assetRecord(all.findLast((row) => 'current_version' in row) ?? {}),
      version: versionRecord(all.findLast((row) => 'asset_id' in row) ?? {}),
    }
  },
  'asset upload': async ({ rows: [, , [upload = {}] = []], env, now }) => ({
    ...uploadRecord(upload),
    state: upload.state,
    ...(await wayToSend(upload, upload, env, now)),
  }),
}

function uploadRecord({ id, upload_type, size_bytes, expires_at }: Row) {
  return { id, upload_type, size_bytes, expires_at }
}

/** The signed URL and headers that send the content of an upload. `named`: the row with the name for downloads. */
async function wayToSend({ id, size_bytes, mime_type }: Row, named: Row, env: SigningEnv, now: number) {
  const headers = {
    'Content-Length': String(size_bytes),
    'Content-Type': String(mime_type),
    'Content-Disposition': disposition(named),
    'If-None-Match': '*',
    'x-amz-meta-upload': String(id),
    'x-amz-metadata-directive': 'COPY',
    'x-amz-copy-source-if-match': '"none"',
    'x-amz-source-expected-bucket-owner': 'none',
  }
  const { url } = await signerOf(env).upload(String(id), headers, now, UPLOAD_TTL)
  return { method: 'PUT', url, url_expires_at: now + UPLOAD_TTL, headers }
}

function assetSummary({
  id,
  owner_id,
  type,
  name,
  tags,
  visibility,
  listed,
  current_version,
  favorites,
  published_at,
  created_at,
  updated_at,
}: Row) {
  return {
    id,
    owner_id,
    type,
    name,
    tags: JSON.parse(String(tags)),
    visibility,
    listed: listed === 1,
    preview_url: null, // no asset of the bench has a preview
    preview_width: null,
    preview_height: null,
    current_version,
    favorites,
    published_at,
    created_at,
    updated_at,
  }
}

function assetRecord(asset: Row) {
  const { description, metadata } = asset
  return { ...assetSummary(asset), description, metadata: JSON.parse(String(metadata)) }
}

function versionRecord({
  id,
  asset_id,
  version,
  size_bytes,
  checksum_sha256,
  notes,
  created_at,
  branched_from_asset_id,
  branched_from_version,
  platform,
}: Row) {
  const content = { size_bytes, checksum_sha256 }
  const source = { branched_from_asset_id, branched_from_version }
  return { id, asset_id, version, ...content, notes, created_at, ...source, platform, variants: [] }
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

function signedDownload(file: Row, env: SigningEnv, now: number): Promise<SignedUrl> {
  return signerOf(env).download(String(file.object_key), disposition(file), now, DOWNLOAD_TTL)
}

let signer: Signer | undefined

/** Signs as the service does: no handler could answer with URLs that are signed in another way. */
function signerOf(env: SigningEnv): Signer {
  signer ??= createSigner({ ...env, S3_BUCKET: 'edge-game-storage' })
  return signer
}
