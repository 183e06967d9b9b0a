import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sortTests } from './setup/projects.ts'
import { ReportFlaky } from './setup/report-flaky.ts'

const ORDER = ['system', 'service', 'unit', 'memory', 'timed', 'alone']
const EARLY = /\/(faults|console)\/|\/install\.package\./

/**
 * Project after project, since a worker is used again only for the project that it has begun with. What waits for crashes, leases and clocks
 * goes first, and so do the four suites in a browser and the packed installation, next to each other: begun last, one of them would run on alone.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * ORDER.indexOf(project.name) + (EARLY.test(moduleId) ? 0 : 1)
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}

/** Where bin/sonant.js keeps compiled code as well: what the first process has compiled, and freed of types, no other one compiles again. */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

/** How long a condition is waited for where no claim says how soon it holds: only what is broken takes as long. */
const TIMEOUT_MS = 30_000
/** Most of what a test makes is short-lived: with more room for that, the workers take a tenth less of the processor. */
const ROOMY = { execArgv: ['--max-semi-space-size=64'] }
const MEASURING = { maxWorkers: 2, sequence: { groupOrder: 1 } }
const DATABASE = { globalSetup: ['test/setup/global.ts'] }
const files = sortTests()

// A test that fails once in a hundred runs hides a race, here or in the service: it is tried again only where each such test is named.
const RETRY = process.env.CI
  ? { retry: 1, reporters: ['default', new ReportFlaky()] }
  : { retry: 0, reporters: ['default'] }

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    // Node.js loads the modules, as it does in production, and a worker loads them once for all of its files: loading takes a file longer than its tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    isolate: false,
    // Most of the files wait for others: processes, leases, receivers. Three leave two cores idle for a fifth of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    ...RETRY,
    expect: { poll: { timeout: TIMEOUT_MS, interval: 20 } },
    // Beyond what a test waits for, so that it is the condition that is named.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'unit', include: files.unit, ...ROOMY } },
      { extends: true, test: { name: 'service', include: files.service, ...DATABASE, ...ROOMY } },
      // One for each of two processors, when all others have ended: what they measure is theirs.
      { extends: true, test: { name: 'timed', include: files.timed, ...DATABASE, ...MEASURING } },
      { extends: true, test: { name: 'memory', include: files.memory, ...DATABASE, ...MEASURING, isolate: true } },
      // One after the other.
      {
        extends: true,
        test: { name: 'alone', include: files.alone, ...DATABASE, fileParallelism: false, isolate: true },
      },
      // Each waits for second processes, several in a row.
      { extends: true, test: { name: 'system', include: files.system, ...DATABASE, ...ROOMY, testTimeout: 240_000 } },
    ],
  },
})
