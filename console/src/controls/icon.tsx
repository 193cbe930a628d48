/** The shapes of lucide.dev (ISC licence), drawn on a grid of 24. */
const shapes = {
  folder: 'M4 20h16a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-8l-2-3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2Z',
  file: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7ZM14 2v4a2 2 0 0 0 2 2h4',
  picture:
    'M3 5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2ZM9 7a2 2 0 1 1 0 4a2 2 0 0 1 0-4M21 15l-3.1-3.1a2 2 0 0 0-2.8 0L6 21',
  sound: 'M9 18V5l12-2v13M6 15a3 3 0 1 1 0 6a3 3 0 0 1 0-6M18 13a3 3 0 1 1 0 6a3 3 0 0 1 0-6',
  video:
    'M4 6h10a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2ZM16 13l5.200 3.500a.5.5 0 0 0 .8-.4V7.900a.5.5 0 0 0-.8-.4L16 10.500',
  text: 'M15 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V7ZM14 2v4a2 2 0 0 0 2 2h4M10 9H8M16 13H8M16 17H8',
  json: 'M8 3H7a2 2 0 0 0-2 2v5a2 2 0 0 1-2 2 2 2 0 0 1 2 2v5a2 2 0 0 0 2 2h1M16 21h1a2 2 0 0 0 2-2v-5a2 2 0 0 1 2-2 2 2 0 0 1-2-2V5a2 2 0 0 0-2-2h-1',
  archive:
    'M3 3h18a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M4 8v11a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2V8M10 12h4',
  list: 'M3 6v.01M3 12v.01M3 18v.01M8 6h13M8 12h13M8 18h13',
  grid: 'M4 4h6v6H4ZM14 4h6v6h-6ZM14 14h6v6h-6ZM4 14h6v6H4Z',
  info: 'M12 2a10 10 0 1 1 0 20a10 10 0 0 1 0-20M12 16v-4M12 8v.01',
  'folder-up':
    'M4 20h16a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-8l-2-3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 2ZM12 10v6M9 13l3-3 3 3',
  back: 'm15 18-6-6 6-6',
  up: 'M12 3v12M17 8l-5-5-5 5M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4',
  down: 'M12 15V3M7 10l5 5 5-5M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4',
  trash: 'M3 6h18M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2',
  share: 'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2M9 3a4 4 0 1 1 0 8a4 4 0 0 1 0-8M19 8v6M22 11h-6',
  more: 'M12 11.5v1M19 11.5v1M5 11.5v1',
  plus: 'M5 12h14M12 5v14',
  close: 'M18 6 6 18M6 6l12 12',
  copy: 'M8 10a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2ZM4 16a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h10a2 2 0 0 1 2 2',
  bell: 'M10.3 21a2 2 0 0 0 3.4 0M3.3 15.3A1 1 0 0 0 4 17h16a1 1 0 0 0 .7-1.7C19.4 14 18 12.5 18 8A6 6 0 0 0 6 8c0 4.5-1.4 6-2.7 7.3',
  save: 'M15.200 3a2 2 0 0 1 1.400.6l3.800 3.800a2 2 0 0 1 .6 1.400V19a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2ZM17 21v-7a1 1 0 0 0-1-1H8a1 1 0 0 0-1 1v7M7 3v4a1 1 0 0 0 1 1h7',
  box: 'M11 21.7a2 2 0 0 0 2 0l7-4A2 2 0 0 0 21 16V8a2 2 0 0 0-1-1.7l-7-4a2 2 0 0 0-2 0l-7 4A2 2 0 0 0 3 8v8a2 2 0 0 0 1 1.7ZM12 22V12M3.3 7 12 12l8.7-5',
  map: 'M14.1 5.6a2 2 0 0 0 1.8 0l3.7-1.8A1 1 0 0 1 21 4.6v12.8a1 1 0 0 1-.6.9l-4.5 2.3a2 2 0 0 1-1.8 0l-4.2-2.1a2 2 0 0 0-1.8 0l-3.7 1.8A1 1 0 0 1 3 19.4V6.6a1 1 0 0 1 .6-.9l4.5-2.3a2 2 0 0 1 1.8 0ZM15 5.800v15M9 3.200v15',
  user: 'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2M12 3a4 4 0 1 1 0 8a4 4 0 0 1 0-8',
  globe: 'M12 2a10 10 0 1 1 0 20a10 10 0 0 1 0-20M12 2a14.5 14.5 0 0 0 0 20a14.5 14.5 0 0 0 0-20M2 12h20',
  shield:
    'M20 13c0 5-3.5 7.5-7.7 9a1 1 0 0 1-.6 0C7.5 20.500 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.500-1.200 6.200-2.700a1.200 1.200 0 0 1 1.600 0C14.500 3.800 17 5 19 5a1 1 0 0 1 1 1Z',
  leave: 'M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4M16 17l5-5-5-5M21 12H9',
  code: 'm16 18 6-6-6-6M8 6l-6 6 6 6',
  chevron: 'm9 18 6-6-6-6',
  columns: 'M3 5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2ZM12 3v18',
  sun: 'M12 8a4 4 0 1 1 0 8a4 4 0 0 1 0-8M12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M6.300 17.700l-1.400 1.400M19.100 4.900l-1.400 1.400',
  check: 'M20 6 9 17l-5-5',
  arrow: 'M12 19V5M6 11l6-6 6 6',
  ascending: 'm3 16 4 4 4-4M7 20V4M11 4h4M11 8h7M11 12h10',
  descending: 'm3 8 4-4 4 4M7 4v16M11 12h4M11 16h7M11 20h10',
  pencil:
    'M21.200 6.800a1 1 0 0 0-4-4L3.800 16.200a2 2 0 0 0-.5.8L2 21.400a.5.5 0 0 0 .6.6l4.400-1.300a2 2 0 0 0 .8-.5ZM15 5l4 4',
  grip: 'M9 5v.01M9 12v.01M9 19v.01M15 5v.01M15 12v.01M15 19v.01',
  pause: 'M9 5v14M15 5v14',
  play: 'm7 4 12 8-12 8Z',
  restore: 'M3 12a9 9 0 1 0 9-9 9.700 9.700 0 0 0-6.700 2.700L3 8M3 3v5h5',
  ban: 'M12 2a10 10 0 1 1 0 20a10 10 0 0 1 0-20M4.900 4.900l14.200 14.200',
  branch: 'M6 3v12M18 3a3 3 0 1 1 0 6a3 3 0 0 1 0-6M6 15a3 3 0 1 1 0 6a3 3 0 0 1 0-6M18 9a9 9 0 0 1-9 9',
  heart: 'M12 20.500 4.300 13a5 5 0 0 1 0-7.100 5 5 0 0 1 7.100 0l.6.6.6-.6a5 5 0 0 1 7.100 7.100Z',
  gift: 'M3 8h18v4H3ZM5 12v7a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-7M12 8v13M7.500 8a2.500 2.500 0 0 1 0-5C10 3 12 5.500 12 8c0-2.500 2-5 4.500-5a2.500 2.500 0 0 1 0 5',
  trophy:
    'M6 9H4.500a2.500 2.500 0 0 1 0-5H6M18 9h1.500a2.500 2.500 0 0 0 0-5H18M4 22h16M10 14.700V17c0 .6-.5 1-1 1.200C7.900 18.800 7 20.200 7 22M14 14.700V17c0 .6.5 1 1 1.200 1.200.6 2 2 2 3.800M18 2H6v7a6 6 0 0 0 12 0Z',
  dice: 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2ZM16 8v.01M8 8v.01M8 16v.01M16 16v.01M12 12v.01',
  message: 'M21 15a2 2 0 0 1-2 2H7l-4 4V5a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2Z',
  wrench:
    'M14.700 6.300a1 1 0 0 0 0 1.400l1.600 1.600a1 1 0 0 0 1.400 0l3.800-3.800a6 6 0 0 1-7.900 7.900l-6.900 6.900a2.100 2.100 0 0 1-3-3l6.900-6.900a6 6 0 0 1 7.900-7.900Z',
  tag: 'M12.600 2.600A2 2 0 0 0 11.200 2H4a2 2 0 0 0-2 2v7.200a2 2 0 0 0 .6 1.400l8.700 8.700a2.400 2.400 0 0 0 3.400 0l6.600-6.600a2.400 2.400 0 0 0 0-3.400ZM7.500 7.500v.01',
  flag: 'M4 22V4a1 1 0 0 1 .4-.8A6 6 0 0 1 8 2c3 0 5 2 7.300 2q2 0 3.300-.6A1 1 0 0 1 20 4.300v9.700a1 1 0 0 1-.4.8A6 6 0 0 1 16 16c-3 0-5-2-8-2a6 6 0 0 0-4 1.500',
  search: 'M11 3a8 8 0 1 1 0 16a8 8 0 0 1 0-16M21 21l-4.300-4.300',
} as const

export type IconName = keyof typeof shapes

/** An icon beside a text, or in a button with a label. Screen readers skip it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  )
}

/** What an empty list would hold, drawn large in a landscape. Screen readers skip it. */
export function Drawing({ name }: { name: IconName }) {
  return (
    <svg className="drawing" width={144} height={96} viewBox="0 0 144 96" aria-hidden="true">
      <clipPath id="air">
        <path d="M12 96V64a60 60 0 0 1 120 0v32Z" />
      </clipPath>
      <g clipPath="url(#air)">
        <path className="air" d="M0 0h144v96H0Z" />
        <circle className="sun" cx="104" cy="38" r="12" />
        <circle className="far" cx="62" cy="166" r="100" />
        <circle className="near" cx="56" cy="174" r="92" />
      </g>
      <path className="what" d={shapes[name]} transform="translate(45 32) scale(2.25)" strokeWidth={1.1} />
    </svg>
  )
}
