/** Paths of lucide (https://lucide.dev), ISC License, Copyright (c) Lucide Contributors; drawn on 24 by 24 with a stroke of 2. */
const circle = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`

const PATHS = {
  overview: 'M3 3h7v9H3zM14 3h7v5h-7zM14 12h7v9h-7zM3 16h7v5H3z',
  playground: 'M2 10v3M6 6v11M10 3v18M14 8v7M18 5v13M22 10v3',
  jobs: 'M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01',
  statistics: 'M3 3v16a2 2 0 0 0 2 2h16M18 17V9M13 17V5M8 17v-3',
  voices: 'M12 2a3 3 0 0 0-3 3v7a3 3 0 0 0 6 0V5a3 3 0 0 0-3-3zM19 10v2a7 7 0 0 1-14 0v-2M12 19v3',
  lexicon: 'M4 19.500v-15A2.500 2.500 0 0 1 6.500 2H20v20H6.500a2.500 2.500 0 0 1 0-5H20M8 11h8M8 7h6',
  keys: `${circle(7.5, 15.5, 5.5)}M15.500 7.500l2.300 2.300a1 1 0 0 0 1.400 0l2.100-2.100a1 1 0 0 0 0-1.400L19 4M21 2l-9.600 9.600`,
  webhooks:
    'M18 16.980h-5.990c-1.100 0-1.950.940-2.480 1.900A4 4 0 0 1 2 17c.010-.700.200-1.400.570-2M6 17l3.130-5.780c.530-.970.100-2.180-.500-3.100a4 4 0 1 1 6.890-4.060M12 6l3.130 5.730C15.660 12.700 16.900 13 18 13a4 4 0 0 1 0 8',
  credits: `${circle(8, 8, 6)}M18.090 10.370A6 6 0 1 1 10.340 18M7 6h1v4M16.710 13.880l.700.710-2.820 2.820`,
  people: `M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2${circle(9, 7, 4)}M22 21v-2a4 4 0 0 0-3-3.870M16 3.130a4 4 0 0 1 0 7.750`,
  audit: 'M12 8v4l3 2M3.050 11a9 9 0 1 1 .500 4M3 21v-6h6',
  profile: `M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2${circle(12, 7, 4)}`,
  server:
    'M4 2h16a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zM4 14h16a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-4a2 2 0 0 1 2-2zM6 6h.010M6 18h.010',
  search: `${circle(11, 11, 8)}M21 21l-4.300-4.300`,
  copy: 'M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2zM4 16c-1.100 0-2-.900-2-2V4c0-1.100.900-2 2-2h10c1.100 0 2 .900 2 2',
  check: 'M20 6 9 17l-5-5',
  close: 'M18 6 6 18M6 6l12 12',
  download: 'M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M7 10l5 5 5-5M12 15V3',
  calendar: 'M8 2v4M16 2v4M5 4h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM3 10h18',
  upload: 'M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4M17 8l-5-5-5 5M12 3v12',
  reload: 'M21 12a9 9 0 1 1-9-9c2.520 0 4.930 1 6.740 2.740L21 8M21 3v5h-5',
  cancel: `${circle(12, 12, 10)}M4.900 4.900l14.200 14.200`,
  trash: 'M3 6h18M19 6v14c0 1-1 2-2 2H7c-1 0-2-1-2-2V6M8 6V4c0-1 1-2 2-2h4c1 0 2 1 2 2v2',
  code: 'm16 18 6-6-6-6M8 6l-6 6 6 6',
  sun: `${circle(12, 12, 4)}M12 2v2M12 20v2M4.930 4.930l1.410 1.410M17.660 17.660l1.410 1.410M2 12h2M20 12h2M6.340 17.660l-1.410 1.410M19.070 4.930l-1.410 1.410`,
  moon: 'M12 3a6 6 0 0 0 9 9 9 9 0 1 1-9-9Z',
  system: 'M4 3h16a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM8 21h8M12 17v4',
  more: 'M12 12h.010M19 12h.010M5 12h.010',
  down: 'm6 9 6 6 6-6',
  right: 'm9 18 6-6-6-6',
  left: 'm15 18-6-6 6-6',
  signOut: 'M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4M16 17l5-5-5-5M21 12H9',
  plus: 'M5 12h14M12 5v14',
  minus: 'M5 12h14',
  loop: 'm17 2 4 4-4 4M3 11v-1a4 4 0 0 1 4-4h14M7 22l-4-4 4-4M21 13v1a4 4 0 0 1-4 4H3',
  help: `${circle(12, 12, 10)}M9.090 9a3 3 0 0 1 5.830 1c0 2-3 3-3 3M12 17h.010`,
  alert: 'm21.730 18-8-14a2 2 0 0 0-3.480 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.730-3M12 9v4M12 17h.010',
  failures: 'M22 12h-4l-3 9L9 3l-3 9H2',
  send: 'm22 2-7 20-4-9-9-4ZM22 2 11 13',
  filter: 'M22 3H2l8 9.460V19l4 2v-8.540z',
  volume: 'M11 5 6 9H2v6h4l5 4zM15.500 9a5 5 0 0 1 0 6',
  undo: 'M9 14 4 9l5-5M4 9h10.500a5.500 5.500 0 0 1 0 11H11',
  redo: 'm15 14 5-5-5-5M20 9H9.500a5.500 5.500 0 0 0 0 11H13',
  studio:
    'M12 7v14M3 18a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h5a4 4 0 0 1 4 4 4 4 0 0 1 4-4h5a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1h-6a3 3 0 0 0-3 3 3 3 0 0 0-3-3z',
  out: 'M15 3h6v6M10 14 21 3M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6',
} as const

export type IconName = keyof typeof PATHS

/** Decoration: what it means stands next to it, or is its button's label. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)

export const PlayGlyph = ({ isPlaying, size = 16 }: { isPlaying: boolean; size?: number }) => (
  <svg class="glyph" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path
      d={
        isPlaying
          ? 'M6 4h4v16H6zM14 4h4v16h-4z'
          : 'M7 3.500v17a1 1 0 0 0 1.500.860l14-8.500a1 1 0 0 0 0-1.720l-14-8.500A1 1 0 0 0 7 3.500z'
      }
    />
  </svg>
)
