import { z } from 'zod'
import { fileTypes, gameAssetTypes, ratings } from '../db/enumerations.ts'
import { integer } from '../lib/integer.ts'
import { DEFAULT_TIMEOUT_MS } from '../lib/timeout.ts'
import { GIB, MIB } from '../lib/units.ts'
import { ranges } from '../shards/map.ts'
import { partGuards, putGuards } from './copy-guards.ts'
import { eventTypeNames } from './event-names.ts'
import { jurisdictions, regions } from './places.ts'

/** R2's limit for one PUT, and for one part. */
const LARGEST_PUT = 5 * GIB - 5 * MIB

/** A whole number from `min` to `max`; `standard` when the variable is not set. */
const integerVariable = (description: string, standard: number, min: number, max?: number) =>
  integer(min, max ?? Number.MAX_SAFE_INTEGER)
    .default(standard)
    .meta({ description, minimum: min, ...(max !== undefined && { maximum: max }) })

/** An https:// address, so that traffic is encrypted. http:// is allowed for this machine, in development only. */
const httpsUrl = z.url('must be an https:// address').refine((url) => {
  if (!URL.canParse(url)) return true // z.url reports it
  const { protocol, hostname } = new URL(url)
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  )
}, 'must be an https:// address')

/** The secret of a webhook in the form of Standard Webhooks: 24 to 64 bytes in base64. */
const SECRET =
  /^whsec_(?=(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$)[A-Za-z0-9+/]{32,86}={0,2}$/

/** One webhook secret, or two with a space between them. */
const secrets = z
  .string()
  .refine(
    (list) => list.split(' ').length <= 2 && list.split(' ').every((secret) => SECRET.test(secret)),
    'must be whsec_ with 24 to 64 bytes in base64, or two of these with a space between them',
  )
  .transform((list) => list.split(' '))

/** The address of a server of the studio's, without credentials. */
const receiverUrl = httpsUrl.refine((url) => {
  if (!URL.canParse(url)) return true // z.url reports it
  const { username, password } = new URL(url)
  return username === '' && password === ''
}, 'must not hold a name or a password')

/** The kinds of content, or patterns of its type: `image/*`, `application/zip`. */
const checkedKind = z.union(
  [
    z.enum([...fileTypes, ...gameAssetTypes]),
    z.string().regex(/^[a-z0-9!#$&^_.+-]+\/([a-z0-9!#$&^_.+-]+|\*)$/),
  ],
  `must be a list of ${[...fileTypes, ...gameAssetTypes].join(', ')}, or MIME types like image/png and image/*`,
)

/** Names of headers, separated by commas, or `none`. */
const guards = <const Guards extends readonly [string, ...string[]]>(known: Guards) =>
  z
    .string()
    .transform((list) => (list === 'none' ? [] : list.split(',').map((name) => name.trim())))
    .pipe(z.array(z.enum(known, `must be a list of ${known.join(', ')}, or none`)))
    .default([...known])

const algorithms = ['RS256', 'ES256', 'EdDSA'] as const

/** Every variable. docs/configuration.md is generated from it. */
export const Variables = z.object({
  JWT_SECRET: z
    .string()
    .refine((secret) => new TextEncoder().encode(secret).length >= 32, 'must be at least 32 bytes long')
    .optional()
    .describe(
      'The secret that tokens are signed with (HS256), at least 32 bytes. Set either this or `JWKS_URL`.',
    ),
  JWKS_URL: httpsUrl
    .optional()
    .describe(
      'The https:// address of the login’s public keys. While it is unreachable, the last keys are used for 6 hours.',
    ),
  JWT_ISSUER: z
    .string()
    .min(1)
    .optional()
    .describe('The required `iss` of tokens. Required with `JWKS_URL`; checked with `JWT_SECRET` when set.'),
  JWT_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe('The required `aud` of tokens. Required with `JWKS_URL`; checked with `JWT_SECRET` when set.'),
  JWT_ALGORITHMS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(algorithms, `must be a list of ${algorithms.join(', ')}`)))
    .default([...algorithms])
    .describe('The algorithms that tokens may use with `JWKS_URL`, separated by commas.'),
  CORS_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .default(['*'])
    .describe('The web origins that may call the API, separated by commas.'),
  S3_ENDPOINT: z
    .union([z.literal('local'), httpsUrl], 'must be the https:// address of your R2 account')
    .describe(
      '`https://ACCOUNT_ID.r2.cloudflarestorage.com`. In development `local`: the bucket of the development server.',
    ),
  S3_BUCKET: z
    .string()
    .min(1)
    .default('edge-game-storage')
    .describe('The name of the bucket, the same as `bucket_name` in `wrangler.toml`.'),
  S3_ACCESS_KEY_ID: z
    .string()
    .min(1)
    .describe('The id of an R2 API token that reads and writes the objects of this bucket.'),
  S3_SECRET_ACCESS_KEY: z.string().min(1).describe('The secret of the same R2 API token.'),
  COPY_GUARDS_PUT: guards(putGuards).describe(
    'The headers that keep the signed PUT of an upload from becoming a copy of another object, or `none`. `npm run deploy` writes those that R2 takes: see [the probe](deploying.md#the-probe-of-the-bucket).',
  ),
  COPY_GUARDS_PART: guards(partGuards).describe('The same for the PUT of a part.'),
  JURISDICTION: z
    .enum(jurisdictions, 'must be "eu", "fedramp" or "us"')
    .optional()
    .describe(
      'The jurisdiction of inboxes, of saves and of the objects that run the job: `eu`, `fedramp` or `us`. `jurisdiction` of the [settings](deploying.md#the-settings) sets it. [Another value](deploying.md#where-things-lie) leads to other, empty inboxes and saves. Not in development.',
    ),
  LOCATION: z
    .enum(regions, `must be one of ${regions.join(', ')}`)
    .optional()
    .describe(
      'The region of the objects that run the job: that of the databases. `location` of the [settings](deploying.md#the-settings) sets it. Each object is made at its first call and never moves, so a later value changes nothing. A jurisdiction excludes it.',
    ),
  DOWNLOAD_URL_TTL: integerVariable('How long a download URL is valid, in seconds.', 900, 1, 604_800),
  UPLOAD_URL_TTL: integerVariable(
    'How long a signed upload URL is valid, in seconds. It never outlives its upload.',
    3_600,
    1,
    604_800,
  ),
  // R2 deletes an incomplete multipart upload after seven days.
  UPLOAD_TTL: integerVariable(
    'How long an upload may take, in seconds. R2 keeps parts for seven days.',
    86_400,
    1,
    604_800,
  ),
  MULTIPART_THRESHOLD: integerVariable(
    'Content with more bytes than this is sent in parts. One PUT to R2 has at most 5 GiB − 5 MiB.',
    100 * MIB,
    0,
    LARGEST_PUT,
  ),
  PART_SIZE: integerVariable(
    'The length of each part except the last, in bytes.',
    16 * MIB,
    5 * MIB,
    LARGEST_PUT,
  ),
  MAX_INLINE_BYTES: integerVariable(
    'Content with at most this many bytes can be sent and read in one request through the Worker, in bytes.',
    MIB,
    0,
    16 * MIB,
  ),
  REQUIRE_CHECKSUM: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((answer) => answer === 'true')
    .default(false)
    .describe(
      '`true`: an upload of one PUT must declare `checksum_sha256`, and content in one request `Content-Digest`.',
    ),
  DEFAULT_QUOTA_BYTES: integerVariable(
    'How many bytes a user may store, unless they have a limit of their own.',
    5 * GIB,
    0,
  ),
  MAX_ITEMS: integerVariable('Items of a user, those in the trash included.', 100_000, 0),
  MAX_FOLDER_DEPTH: integerVariable('Folders above an item.', 100, 1, 1_000),
  // Their ids are bound as one value, which D1 limits to 2 MB.
  MAX_FOLDERS_MOVED: integerVariable(
    'Folders, at any depth, that a folder may hold when it is moved to a deeper level.',
    10_000,
    0,
    20_000,
  ),
  MAX_SHARES_PER_FILE: integerVariable('Shares of a file that have not expired.', 500, 0),
  MAX_SHARES_PER_GRANTEE: integerVariable(
    'Shares of an owner with one user. An expired one counts until the job has run.',
    1_000,
    0,
    10_000,
  ),
  MAX_OPEN_UPLOADS: integerVariable(
    'Open uploads of a user. An aborted or failed one counts until its URLs have expired.',
    1_000,
    0,
  ),
  MAX_ENDED_UPLOADS: integerVariable(
    'Completed and failed uploads of a user that are kept, until a day after their `expires_at`.',
    10_000,
    0,
  ),
  MAX_ASSETS: integerVariable(
    'Game assets of a user, deleted ones included until they are purged.',
    10_000,
    0,
  ),
  MAX_PUBLIC_ASSETS: integerVariable(
    'Public game assets of a user, blocked ones included, deleted ones not.',
    1_000,
    0,
  ),
  MAX_VERSIONS_PER_ASSET: integerVariable('Versions of a game asset.', 10_000, 0),
  MAX_VERSIONS: integerVariable(
    'Versions of all game assets of a user together, and their variants, those of deleted assets included.',
    100_000,
    0,
  ),
  UNRATED_AS: z
    .enum(ratings, 'must be everyone, teen or mature')
    .default('everyone')
    .describe(
      'The rating that a game asset counts as for [bounds](catalogue.md#ratings) while nobody has rated it: `everyone`, `teen` or `mature`.',
    ),
  MAX_FAVORITES: integerVariable('Game assets that a user has among the favorites.', 1_000, 0),
  MAX_MUTES: integerVariable('Users whom a user has muted.', 1_000, 0, 1_000),
  MAX_SAVE_SLOTS: integerVariable('Slots of saves of a user, deleted ones not included.', 20, 1, 100),
  // A row of an object's SQLite has at most 2 MB.
  MAX_PICTURE_PIXELS: integerVariable(
    'The most pixels, width times height, of a preview, a profile picture and an emote. The last two have at most 1,048,576, also where this is more.',
    2_097_152,
    1,
    16_777_216,
  ),
  MAX_SAVE_BYTES: integerVariable('The most bytes of one save.', MIB, 1, 1_900_000),
  SAVE_BYTES: integerVariable(
    'The room for all revisions of a user’s saves together, in bytes. It does not count in the quota.',
    8 * MIB,
    1,
    GIB,
  ),
  MAX_SERVER_SLOTS: integerVariable(
    'Slots of a user that the studio’s servers write, whose names begin with `server.`. They do not count as slots of the user.',
    20,
    1,
    100,
  ),
  SERVER_SAVE_BYTES: integerVariable(
    'The room for all revisions of a user’s slots that the studio’s servers write, in bytes.',
    8 * MIB,
    1,
    GIB,
  ),
  SAVE_DAYS: integerVariable(
    'UTC days before a write of which a slot keeps the last revision, beside SAVE_REVISIONS.',
    7,
    0,
    31,
  ),
  SAVE_REVISIONS: integerVariable('Revisions that a slot keeps, the current one included.', 5, 1, 100),
  MAX_IDEMPOTENCY_KEYS: integerVariable('Idempotency keys of a user that are kept, for 24 hours.', 10_000, 0),
  MAX_NOTIFICATIONS: integerVariable(
    'Notifications of a user. When there is one more, the oldest is deleted.',
    10_000,
    1,
  ),
  MAX_RECALLS: integerVariable(
    'Recalls of saves that are in force at a time. Each request about saves passes them on.',
    5,
    1,
    20,
  ),
  MAX_ANNOUNCEMENTS: integerVariable(
    'Announcements that are in force at a time. Each isolate of the service knows all of them.',
    20,
    1,
    100,
  ),
  AUDIT_RETENTION_DAYS: integerVariable(
    'How long the entries of the audit are kept, in days.',
    400,
    1,
    3_650,
  ),
  MAX_REPORTS_PER_DAY: integerVariable(
    'Reports of a user a UTC day, and as many again of what is illegal.',
    20,
    1,
    1_000,
  ),
  HIDE_AFTER_REPORTS: integerVariable(
    'From so many different reporters on, an asset is out of the catalogue until a moderator has looked. 0: never.',
    0,
    0,
    10_000,
  ),
  HIDE_STATEMENT: z
    .string()
    .min(1)
    .max(5_000)
    .default(
      'Several players have reported this. It is out of the catalogue until a moderator has looked at it.',
    )
    .describe('The statement of reasons that the owner of such an asset gets.'),
  APPEAL_DAYS: integerVariable('How long a decision can be appealed against, in days.', 183, 1, 3_650),
  MODERATORS: z
    .enum(['team', 'single'], 'must be "team" or "single"')
    .default('team')
    .describe(
      '`team`: an appeal is answered by another moderator than the one who decided, and nobody decides about their own things. `single`: both are allowed.',
    ),
  MODERATION_RETENTION_DAYS: integerVariable(
    'How long decided cases are kept, in days. While a measure is in force, its case is kept.',
    730,
    1,
    3_650,
  ),
  NOTIFICATION_RETENTION_DAYS: integerVariable('How long notifications are kept, in days.', 90, 1, 3_650),
  NOTIFY_SHARES: z
    .enum(['on', 'off'], 'must be "on" or "off"')
    .default('off')
    .describe(
      '`on`: a new share notifies its grantee, who has opened the inbox before, with a notification of the type `file.shared`.',
    ),
  TRASH_RETENTION_DAYS: integerVariable(
    'How long deleted items and game assets are kept, in days. 0: until the job runs.',
    30,
    0,
    3_650,
  ),
  CONTENT_GRACE_DAYS: integerVariable(
    'How long permanently deleted content stays in the bucket, in days, for [going back](going-back.md): of each user at most as many bytes as the quota has. 0: until the job runs.',
    7,
    0,
    365,
  ),
  RATE_LIMITS: z
    .enum(['on', 'off'], 'must be "on" or "off"')
    .optional()
    .describe(
      'Whether the requests and writes of each user are limited. When not set: `on`, except in development.',
    ),
  SHARDS: ranges
    .default([])
    .describe(
      'Which database has which users, as ranges of partitions: `000-7ff:DB,800-fff:DB_1`. When not set: all users are in `DB`. See [scaling](scaling.md).',
    ),
  CALL_TIMEOUT_MS: integerVariable(
    'How long D1, R2, an inbox or saves may take to answer a call, in milliseconds. After that, the request fails with 503.',
    DEFAULT_TIMEOUT_MS,
    1,
    300_000,
  ),
  REPLICA_LAG: integerVariable(
    'How long a client that has written reads from the primary and from no replica, in seconds. 0 where read replication is off: then nothing is read near either.',
    10,
    0,
    600,
  ),
  JOB: z
    .enum(['on', 'off'], 'must be "on" or "off"')
    .default('on')
    .describe(
      '`off`: the scheduled job does nothing, and nothing is deleted from the bucket, while an operator [goes back](going-back.md). `"cron": null` in the settings of a deployment sets it.',
    ),
  // The defaults stay below the limits of D1 and of the platform for one invocation.
  JOB_QUERIES: integerVariable(
    'D1 queries that one run of the job sends at most. D1 allows 1,000, and 50 on the free plan, which is less than a step needs.',
    800,
    80,
    100_000,
  ),
  JOB_CALLS: integerVariable(
    'Calls to R2, to inboxes and to saves that one run of the job makes at most.',
    800,
    40,
    100_000,
  ),
  WEBHOOK_URL: receiverUrl
    .optional()
    .describe(
      'The https:// address that events are sent to. When not set: there are no [events](events.md).',
    ),
  WEBHOOK_SECRET: secrets
    .optional()
    .describe(
      'The secret that events are signed with: `whsec_` and 24 to 64 bytes in base64. To change it, set two with a space between them: each event then has both signatures. Required with `WEBHOOK_URL`.',
    ),
  WEBHOOK_EVENTS: z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(eventTypeNames, 'must be a list of the types in docs/events.md')))
    .optional()
    .describe('The types of events that are sent, separated by commas. When not set: all.'),
  MAX_EVENTS: integerVariable(
    'Events in the outbox of a database, parked ones included. Further ones are dropped, and counted. See [events](events.md#turns-and-limits).',
    1_000_000,
    1_000,
    10_000_000,
  ),
  MAX_EVENTS_PER_USER: integerVariable(
    'Events about one user in the outbox, and at most as many as the outbox has places left. Further ones are dropped.',
    200_000,
    100,
  ),
  CONTENT_CHECK_URL: receiverUrl
    .optional()
    .describe(
      'The https:// address that is asked to check content before it is ready. Set either this or the binding `CONTENT_CHECK`; with neither, [nothing is checked](content-check.md).',
    ),
  CONTENT_CHECK_SECRET: secrets
    .optional()
    .describe(
      'The secret that requests for checks are signed with, in the form of `WEBHOOK_SECRET`. Required with `CONTENT_CHECK_URL`.',
    ),
  CONTENT_CHECK_KINDS: z
    .string()
    .transform((list) => list.split(',').map((kind) => kind.trim()))
    .pipe(z.array(checkedKind))
    .optional()
    .describe(
      `The content that is checked, separated by commas: ${[...fileTypes, ...gameAssetTypes].map((kind) => `\`${kind}\``).join(', ')}, and types like \`image/*\`. When not set: all.`,
    ),
  CONSOLE: z
    .literal('on', 'must be "on", or not set')
    .optional()
    .describe(
      '`on`: serves the console at `/console/`, for those who have a token. Always on in development.',
    ),
  DEVELOPMENT: z
    .literal('on', 'must be "on", or not set')
    .optional()
    .describe('`on` in `.dev.vars` only: permits the values of development.'),
})

/** The configuration: the parsed value of each variable. */
export type Config = z.output<typeof Variables>
