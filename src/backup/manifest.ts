import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { wordsOf } from '../catalog/files/read-yaml.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { errorCode, syncEntries } from '../values/data-directory.ts'

/** Written last: a directory without it holds no complete backup. */
const NAME = 'backup.json'
const FORMAT = 1

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const name = z.string().min(1)
const path = z.string().refine((path) => !isAbsolute(path) && !path.split('/').includes('..'), 'leaves the backup')
const file = z.object({ path, bytes: z.number().int(), sha256 })

const schema = z.object({
  format: z.literal(FORMAT, { message: `is not ${FORMAT}: restore it with the version that made it` }),
  version: z.string(),
  madeAt: z.iso.datetime(),
  migrations: z.array(z.string().regex(/^\w+$/)),
  tables: z.array(z.object({ name, columns: z.array(name), rows: z.number().int(), file })),
  partitions: z.array(z.object({ name, parent: name, bound: z.string().regex(/^(FOR VALUES .*|DEFAULT)$/) })),
  sequences: z.array(z.object({ name, value: z.string().regex(/^\d+$/), isCalled: z.boolean() })),
  /** `gone`: files deleted between the snapshot and their copying. */
  artifacts: z.object({ files: z.number().int(), bytes: z.number().int(), gone: z.array(z.string()), list: file }),
  /** `file` is null if SECRET_KEY came from the environment. */
  secretKey: z.object({ file: file.nullable(), fingerprint: z.string() }),
})

export type Manifest = z.output<typeof schema>
export type BackupFile = z.output<typeof file>
export type BackupTable = Manifest['tables'][number]

export async function writeManifest(dir: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  const partial = join(dir, `${NAME}.partial`)
  const text = `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`
  await writeFile(partial, text, { mode: 0o600, flush: true })
  await rename(partial, join(dir, NAME))
  syncEntries(dir)
  syncEntries(dirname(dir))
}

/** @throws INVALID_REQUEST if the backup is absent, incomplete or changed */
export async function readManifest(dir: string): Promise<Manifest> {
  const text = await readFile(join(dir, NAME), 'utf8').catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error
    throw invalidRequest(
      `${dir} is not a complete backup: ${NAME}, which is written last, is missing. Use a backup that finished.`,
    )
  })
  const parsed = schema.safeParse(parseJson(text), { error: wordsOf })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidRequest(`${join(dir, NAME)} cannot be read: ${issue?.path.join('.') || 'it'} ${issue?.message}.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
