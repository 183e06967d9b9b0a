import type { Parts } from '../context/context.ts'

const CHANNEL = 'sonant_public_url'

type Listener = Pick<Parts, 'db' | 'notifier' | 'log'> & { publicUrl: string }

/** Records the API's address for processes without PUBLIC_URL. */
export async function recordPublicUrl(runtime: Listener, url: string): Promise<void> {
  runtime.publicUrl = url
  await runtime.db.pool.query('update installation set public_url = $1 where public_url is distinct from $1', [url])
  await runtime.notifier.notify(CHANNEL).catch(() => undefined)
}

export async function readPublicUrl(runtime: Listener): Promise<void> {
  const { rows } = await runtime.db.pool.query<{ public_url: string | null }>('select public_url from installation')
  runtime.publicUrl = rows[0]?.public_url ?? runtime.publicUrl
}

/** Keeps `publicUrl` current in a long-running process without an API. */
export async function followPublicUrl(runtime: Listener): Promise<void> {
  const readAgain = () =>
    void readPublicUrl(runtime).catch((error: Error) =>
      runtime.log.warn({ err: error.message }, 'the public URL could not be read'),
    )
  await runtime.notifier.listen(CHANNEL, readAgain, readAgain)
  await readPublicUrl(runtime)
}
