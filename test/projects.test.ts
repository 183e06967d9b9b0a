import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TestCase, TestModule } from 'vitest/node'
import { projectOf, sortTests } from './setup/projects.ts'
import { ReportFlaky } from './setup/report-flaky.ts'

describe('the projects', () => {
  test('each test file is in one of them', () => {
    const sorted = Object.values(sortTests()).flat()
    expect(sorted.sort()).toEqual(globSync('test/**/*.test.ts').sort())
  })

  test.each([
    ['test/voice/split.test.ts', 'timed'],
    ['test/jobs/job.test.ts', 'service'],
    ['test/db/notifier.test.ts', 'service'],
    ['test/storage/s3.test.ts', 'service'],
    ['test/cli/commands/completion.test.ts', 'service'],
    ['test/engines/espeak/espeak.test.ts', 'service'],
    ['test/egress/check-webhook-url.test.ts', 'unit'],
    ['test/users/password.test.ts', 'timed'],
    ['test/jobs/export/spill.memory.test.ts', 'memory'],
    ['test/audio/audio-threads.test.ts', 'service'],
    ['test/server/console/mount-console.test.ts', 'service'],
    ['test/graphql/limits/limits.test.ts', 'memory'],
    ['test/server/app.request-cost.test.ts', 'alone'],
    ['test/http/client-disconnect.test.ts', 'timed'],
    ['test/system/faults/clock.test.ts', 'system'],
  ] as const)('%s is a %s test', (file, project) => {
    expect(projectOf(file)).toBe(project)
  })
})

describe('a run', () => {
  const caseOf = (flaky: boolean, message: string) =>
    ({
      fullName: `jobs > ${message}`,
      module: { relativeModuleId: 'test/jobs/job.test.ts' },
      diagnostic: () => ({ flaky }),
      result: () => ({ state: 'passed', errors: [{ message: `${message}\nmore of it` }] }),
    }) as unknown as TestCase
  const report = (...cases: TestCase[]): string => {
    let written = ''
    const module = { children: { allTests: () => cases.values() } } as unknown as TestModule
    new ReportFlaky((text) => (written += text)).onTestRunEnd([module])
    return written
  }

  test('names each test that passed only at its second try, with its first error, in one line', () => {
    const lines = report(caseOf(true, 'late'), caseOf(false, 'well')).trim().split('\n')
    expect(lines.slice(1)).toEqual(['FLAKY test/jobs/job.test.ts > jobs > late: late'])
  })

  test('says nothing where every test passed at its first try', () => {
    expect(report(caseOf(false, 'well'))).toBe('')
  })
})
