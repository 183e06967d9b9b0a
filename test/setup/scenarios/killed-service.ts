import { type OwnDatabase, startOwnDatabase } from '../postgres/own-database.ts'
import { endProcesses } from '../processes/processes.ts'
import { type SpeechServer, startSpeechServer } from '../servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../service/runtime.ts'

/** Tests that kill processes of a service or its PostgreSQL share this. */
export interface KilledService {
  readonly database: OwnDatabase
  /** The runtime of this process: nobody kills it. */
  readonly runtime: TestRuntime
  readonly speech: SpeechServer
  /** The environment of the service's processes. */
  readonly environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** A PostgreSQL that may be killed, a service over it and a speech server that answers at once. */
export async function startKilledService(): Promise<KilledService> {
  const database = await startOwnDatabase()
  const runtime = await startTestRuntime({ env: { DATABASE_URL: database.url, LOG_LEVEL: 'silent' } })
  const speech = await startSpeechServer()
  return {
    database,
    runtime,
    speech,
    environment: { DATABASE_URL: database.url, DATA_DIR: runtime.dataDir, LOG_LEVEL: 'warn' },
    close: async () => {
      await endProcesses()
      await runtime.close()
      await speech.close()
      await database.close()
    },
  }
}
