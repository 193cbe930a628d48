import { appFor } from '../../src/app.ts'
import { publicRouters, routers } from '../../src/routers.ts'

const places = new Set(['/', ...[...routers, ...publicRouters].flatMap(({ at }) => at)])
const apps = new Set(await Promise.all([...places].map((place) => appFor(place))))

/** Every route of the Worker, such as `GET /v1/files/{id}`. */
export const servedRoutes = [...apps].flatMap(({ routes }) =>
  routes.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
)

/** Each router with the places at which it is declared, and its paths. */
export const routersWithPaths = await Promise.all(
  [...routers, ...publicRouters].map(async ({ at, load }) => ({
    at,
    paths: (await load()).router.routes.map(({ path }) => path),
  })),
)
