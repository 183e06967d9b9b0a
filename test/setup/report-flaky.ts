import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Prints at the end of a run one line for each test that passed only when it was tried again: its file, its title and the first error. */
export class ReportFlaky implements Reporter {
  readonly #write: (text: string) => void

  constructor(write: (text: string) => void = (text) => void process.stderr.write(text)) {
    this.#write = write
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) => [...module.children.allTests()]).filter(isFlaky)
    if (flaky.length === 0) return
    this.#write(
      `\n${flaky.length} flaky: passed only at the second try, which hides a race in the test or the service\n`,
    )
    for (const one of flaky) this.#write(`FLAKY ${lineOf(one)}\n`)
  }
}

const isFlaky = (one: TestCase): boolean => one.diagnostic()?.flaky === true

function lineOf(one: TestCase): string {
  const [first] = one.result().errors ?? []
  const message = (first?.message ?? 'no error was kept').split('\n', 1)[0]
  return `${one.module.relativeModuleId} > ${one.fullName}: ${message}`
}
