import type { Hono } from 'hono'
import type { AppEnv } from './platform/context.ts'

/** The readers of a description: `clients` write games and the studio's services, `operators` run this project's commands. */
export type Audience = 'clients' | 'operators'

/** A router. It is loaded, with its schemas, at the first request that needs it. */
interface LazyRouter {
  /** The paths at which and below which it has routes. A request loads the routers of its first segment after /v1. */
  at: readonly string[]
  load: () => Promise<{ router: Hono<AppEnv> }>
  /** The description that has its routes; by default that of clients. */
  audience?: Audience
}

/** Everything under /v1, in the order of the descriptions. */
export const routers: readonly LazyRouter[] = [
  { at: ['/v1/files'], load: () => import('./features/files/routes.ts') },
  { at: ['/v1/files'], load: () => import('./features/content/routes.ts') },
  { at: ['/v1/trash'], load: () => import('./features/trash/routes.ts') },
  { at: ['/v1/files', '/v1/shares'], load: () => import('./features/shares/routes.ts') },
  { at: ['/v1/quota', '/v1/users'], load: () => import('./features/quota/routes.ts') },
  { at: ['/v1/profile', '/v1/profiles'], load: () => import('./features/profiles/routes.ts') },
  { at: ['/v1/uploads'], load: () => import('./features/uploads/routes.ts') },
  { at: ['/v1/uploads'], load: () => import('./operators/checks/routes.ts') },
  { at: ['/v1/game/assets'], load: () => import('./features/assets/routes.ts') },
  { at: ['/v1/game/assets'], load: () => import('./features/assets/version-routes.ts') },
  { at: ['/v1/game/assets'], load: () => import('./features/assets/channel-routes.ts') },
  { at: ['/v1/game/assets'], load: () => import('./features/previews/routes.ts') },
  {
    at: ['/v1/game/public', '/v1/game/urls', '/v1/game/updates'],
    load: () => import('./features/assets/public-routes.ts'),
  },
  { at: ['/v1/game/assets', '/v1/game/favorites'], load: () => import('./features/favorites/routes.ts') },
  { at: ['/v1/mutes'], load: () => import('./features/mutes/routes.ts') },
  { at: ['/v1/saves'], load: () => import('./features/saves/routes.ts') },
  { at: ['/v1/recalls'], load: () => import('./features/saves/recalls/routes.ts') },
  { at: ['/v1/notifications'], load: () => import('./features/notifications/routes.ts') },
  { at: ['/v1/announcements'], load: () => import('./features/announcements/routes.ts') },
  { at: ['/v1/reports', '/v1/decisions'], load: () => import('./features/moderation/routes.ts') },
  { at: ['/v1/moderation'], load: () => import('./operators/moderation/case-routes.ts') },
  { at: ['/v1/game', '/v1/files', '/v1/blocked'], load: () => import('./operators/moderation/routes.ts') },
  { at: ['/v1/audit'], load: () => import('./operators/audit/routes.ts') },
  { at: ['/v1/users'], load: () => import('./operators/users/routes.ts') },
  { at: ['/v1/users'], load: () => import('./operators/erasure/routes.ts') },
  { at: ['/v1/shards'], load: () => import('./operators/shards/routes.ts'), audience: 'operators' },
  { at: ['/v1/reconcile'], load: () => import('./operators/reconcile/routes.ts'), audience: 'operators' },
  { at: ['/v1/catalogue'], load: () => import('./operators/catalogue/routes.ts'), audience: 'operators' },
  { at: ['/v1/job'], load: () => import('./operators/job/routes.ts'), audience: 'operators' },
  { at: ['/v1/events'], load: () => import('./operators/events/routes.ts'), audience: 'operators' },
]

/** Routes that need no token, in the description for clients. */
export const publicRouters: readonly LazyRouter[] = [
  { at: ['/pictures'], load: () => import('./features/profiles/picture-routes.ts') },
  { at: ['/pictures'], load: () => import('./features/previews/picture-routes.ts') },
]
