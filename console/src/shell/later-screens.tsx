import { later } from './later.tsx'

/** The screens that are loaded when they are first shown: in a pane, and at the desk of support. */
export const SavesScreen = later('saves', async () => {
  const { SavesScreen: Shown, build } = await import('../saves/saves-screen.tsx')
  return { Shown, build }
})
export const AssetsScreen = later('assets', async () => {
  const { AssetsScreen: Shown, build } = await import('../assets/assets-screen.tsx')
  return { Shown, build }
})
export const SafetyScreen = later('safety', async () => {
  const { SafetyScreen: Shown, build } = await import('../safety/safety-screen.tsx')
  return { Shown, build }
})
