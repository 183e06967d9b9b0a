import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import { VERSION } from '../../values/version.ts'
import type { Queryable } from './ledger.ts'

const OLDER_SCHEMA: ReadonlySet<string | undefined> = new Set(['42P01', '42703'])
const NEEDED = `
  select coalesce(
    (select minimum_version from installation limit 1),
    (select substring(pg_get_expr(d.adbin, d.adrelid) from '''([^'']+)''') from pg_attrdef d
     join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
     where d.adrelid = 'installation'::regclass and a.attname = 'minimum_version')
  ) as version`

/** @throws ServiceError UNAVAILABLE with the version to start, if a newer program removed something that this one needs */
export async function requireVersion(db: Queryable): Promise<void> {
  const needed = await minimumVersion(db)
  if (needed === null || !isOlder(VERSION, needed)) return
  throw new ServiceError(
    'UNAVAILABLE',
    `The database was migrated for Sonant ${needed} or newer, and this is ${VERSION}: start that version, or restore a backup from before its migration.`,
  )
}

async function minimumVersion(db: Queryable): Promise<string | null> {
  try {
    const { rows } = await db.query<{ version: string | null }>(NEEDED)
    return rows[0]?.version ?? null
  } catch (error) {
    if (OLDER_SCHEMA.has(errorCode(error))) return null
    throw error
  }
}

export function isOlder(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)]
  const at = b.findIndex((part, index) => part !== (a[index] ?? 0))
  return at >= 0 && (a[at] ?? 0) < (b[at] as number)
}

const partsOf = (version: string): number[] => version.split(/[.+-]/, 3).map((part) => Number.parseInt(part, 10) || 0)
