import { type Command, InvalidArgumentError } from 'commander'
import type { Roles } from '../run-service.ts'

const POOL_FORM = /^[A-Za-z0-9_.-]{1,64}$/

export function addServeCommands(program: Command): void {
  program
    .command('start')
    .description('run the API and a worker in one process')
    .option('--no-open', 'do not show the console in a browser; only a start on a terminal with a display does')
    .action(({ open }: { open: boolean }) => run({ api: true, worker: true, demo: true, open }))
  program
    .command('serve')
    .description('run the API alone')
    .action(() => run({ api: true, worker: false, demo: false, open: false }))
  program
    .command('work')
    .description('run a worker alone')
    .option('--pools <names>', 'comma-separated engine pools; without it, every pool that an endpoint names', namesOf)
    .option('--server <file>', 'a YAML file that names the speech or Cog server which this worker starts and owns')
    .action(({ pools, server }: { pools?: string[]; server?: string }) =>
      run({
        api: false,
        worker: true,
        demo: false,
        open: false,
        ...(pools !== undefined && { pools }),
        ...(server !== undefined && { serverFile: server }),
      }),
    )
}

function namesOf(list: string): string[] {
  const names = list.split(',').map((name) => name.trim())
  if (names.some((name) => !POOL_FORM.test(name))) throw new InvalidArgumentError('Write pools like gpu,espeak.')
  return [...new Set(names)]
}

async function run(roles: Roles): Promise<void> {
  const { runService } = await import('../run-service.ts')
  await runService(roles)
}
