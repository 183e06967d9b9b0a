import type { Command } from 'commander'
import type { Manifest } from '../../backup/manifest.ts'
import type { Settings } from '../../context/config.ts'
import type { Log } from '../../values/log.ts'
import { addAction } from '../run-command.ts'

const NICENESS = 10

export function addBackupCommands(program: Command): void {
  addAction(
    program
      .command('backup')
      .argument('<dir>', 'a directory that is not there yet')
      .description(
        'write the database, the audio and, unless SECRET_KEY is set, secret.key into a directory, while the service runs',
      ),
    async (settings, log, _options: object, [dir = '']) => {
      const { lowerPriority } = await import('../../values/thread.ts')
      lowerPriority(NICENESS)
      const { runBackup } = await import('../../backup/run-backup.ts')
      return show(dir, await runBackup(settings, log, dir), 'backed up')
    },
  )
  addAction(
    program
      .command('restore')
      .argument('<dir>', 'what "sonant backup" has written')
      .description('fill an unused database and its store from a backup, after every checksum in it was verified'),
    async (settings, log, _options: object, [dir = '']) => {
      const { runRestore } = await import('../../backup/run-backup.ts')
      const manifest = await runRestore(settings, log, dir)
      await makeQueue(settings, log)
      return show(dir, manifest, 'restored')
    },
  )
}

/** Creates the queue as a first start does, because other commands expect it. */
async function makeQueue(settings: Settings, log: Log): Promise<void> {
  const { openService } = await import('../open-command.ts')
  const make = async () => (await openService(settings, log)).close()
  await make().catch((error: Error) => log.warn({ err: error.message }, 'the queue is made by the next start'))
}

function show(dir: string, { madeAt, version, tables, artifacts, secretKey }: Manifest, done: string) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const jobs = tables.find(({ name }) => name === 'job')?.rows ?? 0
  const key = secretKey.file === null ? null : `${dir}/${secretKey.file.path}`
  const json = {
    dir,
    made_at: madeAt,
    version,
    rows,
    jobs,
    audio_files: artifacts.files,
    audio_bytes: artifacts.bytes,
    secret_key: key,
  }
  const named = key === null ? 'SECRET_KEY is not in it' : `${key} holds the secret key: store it safely`
  return { json, text: `${done}: ${jobs} jobs, ${artifacts.files} audio files as of ${madeAt}; ${named}` }
}
