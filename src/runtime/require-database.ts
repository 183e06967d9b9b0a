import type { Settings } from '../context/config.ts'
import { ServiceError } from '../errors/service-error.ts'

type Place = Pick<Settings, 'databaseUrl' | 'dataDir'>

/** Whether there is a database of these settings, unless it is one of DATABASE_URL, which only an attempt to use it tells. */
export async function hasDatabase({ databaseUrl, dataDir }: Place): Promise<boolean> {
  if (databaseUrl !== null) return true
  const { isInitialised } = await import('../db/embedded/embedded-directory.ts')
  return isInitialised(dataDir)
}

/**
 * For what only looks: an embedded database is not made for it.
 * @throws ServiceError UNAVAILABLE, one sentence on what the operator has to change
 */
export async function requireDatabase(place: Place): Promise<void> {
  if (await hasDatabase(place)) return
  throw new ServiceError(
    'UNAVAILABLE',
    `There is no database in ${place.dataDir}: set DATABASE_URL, or DATA_DIR to the directory that the service uses.`,
  )
}
