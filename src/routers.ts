import type { Hono } from 'hono'
import type { AppEnv } from './platform/context.ts'

/** The readers of a description: `clients` write games and the studio's services, `operators` run this project's commands. */
export type Audience = 'clients' | 'operators'

/** The routes of a feature. They are loaded, with their schemas, at the first request that needs them. */
interface Router {
  /** The path at which the routes are mounted. */
  at: string
  /** The first segments after /v1 of its paths. */
  segments: readonly string[]
  /** The description that has its routes; by default that of clients. */
  audience?: Audience
  load: () => Promise<Hono<AppEnv>>
}

/** Everything under /v1, in the order of the descriptions. */
export const routers: readonly Router[] = [
  {
    at: '/v1/files',
    segments: ['files'],
    load: async () => (await import('./features/files/routes.ts')).files,
  },
  {
    at: '/v1/files',
    segments: ['files'],
    load: async () => (await import('./features/content/routes.ts')).content,
  },
  {
    at: '/v1/trash',
    segments: ['trash'],
    load: async () => (await import('./features/trash/routes.ts')).trash,
  },
  {
    at: '/v1',
    segments: ['files', 'shares'],
    load: async () => (await import('./features/shares/routes.ts')).shares,
  },
  {
    at: '/v1',
    segments: ['quota', 'users'],
    load: async () => (await import('./features/quota/routes.ts')).quota,
  },
  {
    at: '/v1',
    segments: ['profile', 'profiles'],
    load: async () => (await import('./features/profiles/routes.ts')).profiles,
  },
  {
    at: '/v1/uploads',
    segments: ['uploads'],
    load: async () => (await import('./features/uploads/routes.ts')).uploads,
  },
  {
    at: '/v1/uploads',
    segments: ['uploads'],
    load: async () => (await import('./operators/checks/routes.ts')).checks,
  },
  {
    at: '/v1/game/assets',
    segments: ['game'],
    load: async () => (await import('./features/assets/routes.ts')).gameAssets,
  },
  {
    at: '/v1/game/assets',
    segments: ['game'],
    load: async () => (await import('./features/assets/version-routes.ts')).assetVersions,
  },
  {
    at: '/v1/game/assets',
    segments: ['game'],
    load: async () => (await import('./features/previews/routes.ts')).previews,
  },
  {
    at: '/v1/game/public',
    segments: ['game'],
    load: async () => (await import('./features/assets/public-routes.ts')).publicAssets,
  },
  {
    at: '/v1/game/urls',
    segments: ['game'],
    load: async () => (await import('./features/assets/url-routes.ts')).assetUrls,
  },
  {
    at: '/v1/game',
    segments: ['game'],
    load: async () => (await import('./features/favorites/routes.ts')).favorites,
  },
  {
    at: '/v1/saves',
    segments: ['saves'],
    load: async () => (await import('./features/saves/routes.ts')).saves,
  },
  {
    at: '/v1/notifications',
    segments: ['notifications'],
    load: async () => (await import('./features/notifications/routes.ts')).notifications,
  },
  {
    at: '/v1/announcements',
    segments: ['announcements'],
    load: async () => (await import('./features/announcements/routes.ts')).announcements,
  },
  {
    at: '/v1',
    segments: ['game', 'files', 'blocked'],
    load: async () => (await import('./operators/moderation/routes.ts')).moderation,
  },
  {
    at: '/v1',
    segments: ['users'],
    load: async () => (await import('./operators/users/routes.ts')).users,
  },
  {
    at: '/v1',
    segments: ['users'],
    load: async () => (await import('./operators/erasure/routes.ts')).erasure,
  },
  {
    at: '/v1/shards',
    segments: ['shards'],
    audience: 'operators',
    load: async () => (await import('./operators/shards/routes.ts')).shards,
  },
  {
    at: '/v1/reconcile',
    segments: ['reconcile'],
    audience: 'operators',
    load: async () => (await import('./operators/reconcile/routes.ts')).reconciliation,
  },
  {
    at: '/v1/catalogue',
    segments: ['catalogue'],
    audience: 'operators',
    load: async () => (await import('./operators/catalogue/routes.ts')).catalogue,
  },
  {
    at: '/v1/events',
    segments: ['events'],
    audience: 'operators',
    load: async () => (await import('./operators/events/routes.ts')).events,
  },
]

/** Routes that need no token, in the description for clients. Their paths begin with `at`. */
export const publicRouters: readonly Pick<Router, 'at' | 'load'>[] = [
  {
    at: '/pictures',
    load: async () => (await import('./features/profiles/picture-routes.ts')).profilePictures,
  },
  {
    at: '/pictures',
    load: async () => (await import('./features/previews/picture-routes.ts')).previewPictures,
  },
]
