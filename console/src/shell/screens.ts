import type { IconName } from '../controls/icon.tsx'
import type { Place } from './address.ts'

interface Screen {
  title: string
  icon: IconName
  /** The paths of the screen, each with the `/` before it. */
  paths: RegExp
}

const ASSET = String.raw`/[\w-]+(/(branches|lineage))?`

const OPERATORS =
  /^(\/users\/[^/]+(\/desk(\/[^/]+)*)?|\/moderation(\/[\w-]+)?|\/(blocks|announcements|recalls|events|databases|audit|job))?$/

/** The screens of a pane, in the order of its navigation. To add one, name it here and render it in pane.tsx. */
export const screens = {
  files: { title: 'Files', icon: 'folder', paths: /^(\/[\w-]+)?$/ },
  shared: { title: 'Shared with me', icon: 'share', paths: /^$/ },
  trash: { title: 'Trash', icon: 'trash', paths: /^$/ },
  saves: { title: 'Saves', icon: 'save', paths: /^(\/[^/]+)?$/ },
  assets: { title: 'Assets', icon: 'box', paths: new RegExp(`^(/deleted|${ASSET})?$`) },
  discover: { title: 'Discover', icon: 'globe', paths: new RegExp(`^(/favorites|${ASSET})?$`) },
  inbox: { title: 'Inbox', icon: 'bell', paths: /^$/ },
  safety: { title: 'Safety', icon: 'flag', paths: /^(\/reports|\/(reports|decisions)\/[\w-]+)?$/ },
  operators: { title: 'Operators', icon: 'shield', paths: OPERATORS },
} as const satisfies Record<string, Screen>

export type ScreenName = keyof typeof screens

function isScreen(name: unknown): name is ScreenName {
  return typeof name === 'string' && Object.hasOwn(screens, name)
}

export const screenNames: readonly ScreenName[] = Object.keys(screens).filter(isScreen)

/** The screen of a place; undefined when no screen has the place. */
export function screenOf({ screen, path }: Place): ScreenName | undefined {
  if (!isScreen(screen)) return undefined
  const segments = path.map((segment) => `/${segment.replaceAll('/', '%2F')}`).join('')
  return screens[screen].paths.test(segments) ? screen : undefined
}
