import type { Command } from 'commander'
import type { Halves } from './run-service.ts'

export function addServeCommands(program: Command): void {
  program
    .command('start')
    .description('run the API and a worker in one process')
    .action(() => run({ api: true, worker: true, demo: true }))
  program
    .command('serve')
    .description('run the API alone')
    .action(() => run({ api: true, worker: false, demo: false }))
  program
    .command('work')
    .description('run a worker alone')
    .action(() => run({ api: false, worker: true, demo: false }))
}

/** Loaded only when asked for: the other commands need neither the doors nor the engines. */
async function run(halves: Halves): Promise<void> {
  const { runService } = await import('./run-service.ts')
  await runService(halves)
}
