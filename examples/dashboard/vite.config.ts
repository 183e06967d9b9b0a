import type { UserConfig } from 'vite'

/** The service that `npm run dev` asks. A build asks VITE_SONANT_URL, or the origin that serves it. */
const service = process.env.SONANT_URL ?? 'http://127.0.0.1:4000'

export default {
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // src/use-live-list.ts imports a file of ../graphql-clients.
  server: { fs: { allow: ['..'] }, proxy: { '/graphql': { target: service, ws: true } } },
} satisfies UserConfig
