import { access, constants, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context/context.ts'
import { checkStorage } from '../storage/check-storage.ts'
import { errorCode } from '../values/data-directory.ts'
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
