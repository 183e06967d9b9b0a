import type { Settings } from '../context/config.ts'
import { ServiceError } from '../errors/service-error.ts'

type Place = Pick<Settings, 'databaseUrl' | 'dataDir'>

/** Always true for DATABASE_URL; only connecting can tell. */
export async function hasDatabase({ databaseUrl, dataDir }: Place): Promise<boolean> {
  if (databaseUrl !== null) return true
  const { isInitialised } = await import('../db/embedded/embedded-directory.ts')
  return isInitialised(dataDir)
}

/**
 * Keeps a command that only looks from creating an embedded database.
 * @throws UNAVAILABLE with advice for the operator
 */
export async function requireDatabase(place: Place): Promise<void> {
  if (await hasDatabase(place)) return
  throw new ServiceError(
    'UNAVAILABLE',
    `There is no database in ${place.dataDir}: set DATABASE_URL, or DATA_DIR to the directory that the service uses.`,
  )
}
