import { appFor } from '../../src/app.ts'
import { publicRouters, routers } from '../../src/routers.ts'

const segments = [...new Set(routers.flatMap((router) => router.segments))]
const publicPaths = publicRouters.map(({ at }) => at)
const apps = await Promise.all(['', ...segments, ...publicPaths].map((name) => appFor(name)))

/** Every route of the Worker, such as `GET /v1/files/{id}`. */
export const servedRoutes = apps.flatMap(({ routes }) =>
  routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
)

/** Each router with the first path segments for which it is loaded, and its paths. */
export const routersWithPaths = await Promise.all(
  routers.map(async ({ at, segments, load }) => ({
    segments,
    paths: (await load()).routes.map(({ path }) => `${at}${path}`),
  })),
)
