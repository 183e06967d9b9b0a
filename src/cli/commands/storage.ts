import type { Command } from 'commander'
import type { Settings } from '../../context/config.ts'
import type { StorageCheck } from '../../storage/check-storage.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const COLUMNS: readonly Column<StorageCheck>[] = [
  { head: 'step', cell: ({ step }) => step },
  { head: 'result', cell: ({ error }) => error ?? 'ok' },
]

export function addStorageCommands(program: Command): void {
  const storage = program.command('storage').description('where audio is kept')
  operatorCommand(
    storage
      .command('check')
      .description('put, read and delete one small object; exits with 1 and the reason if that fails'),
    async (ctx) => {
      const { checkStorage } = await import('../../storage/check-storage.ts')
      const checks = await checkStorage(ctx.storage)
      const failed = checks.find(({ error }) => error !== null)
      if (failed !== undefined) process.exitCode = 1
      const place = placeOf(ctx.settings)
      return {
        json: { storage: place, ok: failed === undefined, checks },
        text: `${place}\n${toTable(COLUMNS, checks)}`,
      }
    },
  )
}

const placeOf = ({ s3, dataDir }: Settings): string => (s3 === null ? `${dataDir}/artifacts` : s3.url)
