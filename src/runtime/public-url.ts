import type { Parts } from '../context/context.ts'

const CHANNEL = 'sonant_public_url'

type Listener = Pick<Parts, 'db' | 'notifier' | 'log'> & { publicUrl: string }

/** The API's word for every process that has no PUBLIC_URL: where callers reach what it serves. */
export async function recordPublicUrl(runtime: Listener, url: string): Promise<void> {
  runtime.publicUrl = url
  await runtime.db.pool.query('update installation set public_url = $1 where public_url is distinct from $1', [url])
  // Those that do not hear it read it at their next start, or when they come back.
  await runtime.notifier.notify(CHANNEL).catch(() => undefined)
}

/** Takes the API's word as far as there is one; before, the guess stays. */
export async function readPublicUrl(runtime: Listener): Promise<void> {
  const { rows } = await runtime.db.pool.query<{ public_url: string | null }>('select public_url from installation')
  runtime.publicUrl = rows[0]?.public_url ?? runtime.publicUrl
}

/** For a process that lasts and is no API itself: keeps to the API's word when that one listens elsewhere. */
export async function followPublicUrl(runtime: Listener): Promise<void> {
  const readAgain = () =>
    void readPublicUrl(runtime).catch((error: Error) =>
      runtime.log.warn({ err: error.message }, 'the public URL could not be read'),
    )
  await runtime.notifier.listen(CHANNEL, readAgain, readAgain)
  await readPublicUrl(runtime)
}
