import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// Without the alias vitest loads two copies of graphql (ESM and CJS), and instanceof checks between them fail.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/global.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Hundreds of real processes, sockets and clocks on whatever machine this is: there a test may be unlucky once.
    retry: process.env.CI === undefined ? 0 : 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
