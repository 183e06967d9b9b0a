import { access, constants, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { countServerKeys } from '../catalog/engine-keys.ts'
import type { Context } from '../context/context.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { checkStorage } from '../storage/check-storage.ts'
import { errorCode } from '../values/data-directory.ts'
import { commandLine } from '../values/program.ts'
import { allSecrets } from '../webhooks/webhook.ts'
import { type Check, error, ok, orOk, warning } from './finding.ts'

const LOW_SHARE = 0.15
const FULL_SHARE = 0.05
const OTHERS_MAY_READ = 0o077
const OTHERS_MAY_WRITE = 0o002

export const storageCheck: Check<Context> = {
  check: 'storage',
  run: async ({ storage, settings: { s3, dataDir } }) => {
    const place = s3 === null ? join(dataDir, 'artifacts') : s3.url
    const failed = (await checkStorage(storage)).find((step) => step.error !== null)
    if (failed === undefined) return [ok(`${place} takes, gives and deletes objects`)]
    return [error(`${failed.step}: ${failed.error}`, `check STORAGE_URL, its keys and rights, and ${place}`)]
  },
}

export const directoryCheck: Check<Context> = {
  check: 'DATA_DIR',
  run: async ({ settings: { dataDir } }) => {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    const share = bavail / blocks
    const free = `${(share * 100).toFixed(0)} % free (${((bavail * bsize) / 2 ** 30).toFixed(1)} GiB)`
    const remedy = 'free space, or set ARTIFACT_RETENTION_DAYS'
    const space = share < FULL_SHARE ? [error(free, remedy)] : share < LOW_SHARE ? [warning(free, remedy)] : []
    const key = join(dataDir, 'secret.key')
    const mode = await modeOf(key)
    const open =
      mode !== null && (mode & OTHERS_MAY_READ) !== 0
        ? [error(`${key} is open to other users (mode ${octal(mode)})`, `chmod 600 ${key}`)]
        : []
    const spill = join(dataDir, 'spill')
    const closed = (await isWritable(spill))
      ? []
      : [error(`${spill} takes no files`, `make it writable: exports wait there`)]
    return orOk([...space, ...(await strangeRights(dataDir)), ...open, ...closed], free)
  },
}

/** Checks each secret, because an older key may have sealed any one. */
export const secretCheck: Check<ServiceContext> = {
  check: 'SECRET_KEY',
  needsSchema: true,
  run: async ({ db, vault, settings }) => {
    const keys = await countServerKeys({ db, vault })
    let [total, unreadable, old] = [keys.current + keys.unreadable + keys.rekeyed, keys.unreadable, keys.rekeyed]
    for await (const { accountId, sealed } of allSecrets(db)) {
      total++
      if (!vault.opens(accountId, sealed)) unreadable++
      else if (!vault.isCurrent(accountId, sealed)) old++
    }
    if (unreadable > 0) {
      const found = `${unreadable} of ${total} secrets of webhooks and servers do not open`
      return [
        error(
          found,
          `set SECRET_KEY to what it was, or OLD_SECRET_KEY to that and run ${commandLine('secrets rekey')}`,
        ),
      ]
    }
    if (old > 0)
      return [
        error(
          `${old} secrets of webhooks and servers open by OLD_SECRET_KEY alone`,
          `run ${commandLine('secrets rekey')}`,
        ),
      ]
    const spare = settings.oldSecretKey === null ? '' : '; OLD_SECRET_KEY is not needed any more'
    return [ok(`opens all ${total} secrets of webhooks and servers${spare}`)]
  },
}

async function strangeRights(dataDir: string) {
  const { mode, uid } = await stat(dataDir)
  const self = process.getuid?.() ?? uid
  return [
    ...((mode & OTHERS_MAY_WRITE) === 0
      ? []
      : [error(`other users may write to ${dataDir} (mode ${octal(mode)})`, `chmod o-w ${dataDir}`)]),
    ...(uid === self
      ? []
      : [
          warning(
            `${dataDir} belongs to user ${uid}, and this process is user ${self}`,
            'run all commands as its owner, or chown it to the user that the service runs as',
          ),
        ]),
  ]
}

const octal = (mode: number): string => (mode & 0o777).toString(8)

const modeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ mode }) => mode,
    (cause: unknown) => {
      if (errorCode(cause) === 'ENOENT') return null
      throw cause
    },
  )

const isWritable = (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
