import { appFor } from '../../src/app.ts'
import { routers } from '../../src/routers.ts'

const segments = [...new Set(routers.flatMap((router) => router.segments))]
const apps = await Promise.all(['', ...segments].map((segment) => appFor(segment)))

/** Every route that the Worker has, for whatever path it is asked: `GET /v1/files/{id}`. */
export const servedRoutes = apps.flatMap(({ routes }) =>
  routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
)

/** Each router: the first segments of paths that it is loaded for, and the paths that it has. */
export const routersWithPaths = await Promise.all(
  routers.map(async ({ at, segments, load }) => ({
    segments,
    paths: (await load()).routes.map(({ path }) => `${at}${path}`),
  })),
)
