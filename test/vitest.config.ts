import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sortTests } from './setup/projects.ts'
import { ReportFlaky } from './setup/report-flaky.ts'

/** The files that wait for crashes, leases and clocks go first: begun last, one of them would run on alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ project }: TestSpecification) => project.name === 'system'
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const DATABASE = { globalSetup: ['test/setup/global.ts'] }
const files = sortTests()

// A test that fails once in a hundred runs hides a race, here or in the service: it is tried again only where each such test is named.
const RETRY = process.env.CI
  ? { retry: 1, reporters: ['default', new ReportFlaky()] }
  : { retry: 0, reporters: ['default'] }

// Without the alias vitest loads two copies of graphql (ESM and CJS), and instanceof checks between them fail.
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: { alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }] },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    ...RETRY,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'unit', include: files.unit } },
      { extends: true, test: { name: 'service', include: files.service, ...DATABASE } },
      // Each waits for second processes, several in a row.
      { extends: true, test: { name: 'system', include: files.system, ...DATABASE, testTimeout: 120_000 } },
    ],
  },
})
