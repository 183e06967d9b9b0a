import { Provider } from '@urql/preact'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { messageOf, openSession, REFUSED, type Session } from './client.ts'
import { ViewerDocument } from './gql/graphql.ts'
import { JobPage } from './job.tsx'
import { JobsPage } from './jobs.tsx'
import { Overview } from './overview.tsx'
import { Problem } from './parts.tsx'
import './style.css'
import { ViewerBar } from './viewer-bar.tsx'

const STORED = 'sonant-key'

function App() {
  const [key, setKey] = useState(sessionStorage.getItem(STORED))
  const [problem, setProblem] = useState<string>()
  const [session, setSession] = useState<Session>()
  const [connection, setConnection] = useState({ isLost: false, number: 0 })
  const path = usePath()
  useEffect(() => {
    if (key === null) return
    const opened = openSession(key, {
      onRefused: () => signOut(REFUSED),
      onLost: () => setConnection(({ number }) => ({ isLost: true, number })),
      onReconnect: () => setConnection(({ number }) => ({ isLost: false, number: number + 1 })),
    })
    setSession(opened)
    return () => {
      setSession(undefined)
      opened.close()
    }
  }, [key])
  function signOut(message?: string) {
    sessionStorage.removeItem(STORED)
    setProblem(message)
    setKey(null)
  }
  async function signIn(given: string) {
    const tried = openSession(given)
    const { data, error } = await tried.client.query(ViewerDocument, {})
    tried.close()
    if (!data?.viewer) return setProblem(messageOf(error) ?? REFUSED)
    if (!data.viewer.scopes.includes('job:read')) return setProblem('This key lacks the scope job:read.')
    sessionStorage.setItem(STORED, given)
    setConnection({ isLost: false, number: 0 })
    setProblem(undefined)
    setKey(given)
  }
  if (!session) return key === null ? <SignIn problem={problem} onKey={signIn} /> : null
  return (
    <Provider value={session.client}>
      <ViewerBar path={path} onSignOut={() => signOut()} />
      <Problem message={connection.isLost && 'The connection is lost. This page tries again.'} />
      <main>
        <Screen path={path} connection={connection.number} />
      </main>
    </Provider>
  )
}

function SignIn({ problem, onKey }: { problem: string | undefined; onKey: (key: string) => void }) {
  const [key, setKey] = useState('')
  return (
    <form
      class="card sign-in"
      onSubmit={(event) => {
        event.preventDefault()
        onKey(key.trim())
      }}
    >
      <h1>Voice jobs</h1>
      <label>
        API key
        <input type="password" required value={key} onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      <button type="submit">Sign in</button>
      <Problem message={problem} />
      <p class="quiet">
        The key stays in this tab. It needs the scopes job:read and generate:voice; account:admin shows webhooks as
        well.
      </p>
    </form>
  )
}

function usePath(): string {
  const [path, setPath] = useState(location.hash)
  useEffect(() => {
    const follow = () => setPath(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return path
}

/** Lists and jobs are asked for again after each reconnect: nothing tells what changed meanwhile. */
function Screen({ path, connection }: { path: string; connection: number }) {
  const [, page, id] = path.split('/')
  if (page === 'jobs' && id) return <JobPage key={`${id} ${connection}`} id={id} />
  if (page === 'jobs') return <JobsPage key={connection} />
  return <Overview key={connection} />
}

render(<App />, document.body)
