import { Provider } from '@urql/preact'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { openSession, type Session } from './client.ts'
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
  const [problem, setProblem] = useState('')
  const [session, setSession] = useState<Session>()
  const [connection, setConnection] = useState(0)
  useEffect(() => {
    if (key === null) return
    const opened = openSession(key, signOut, () => setConnection((count) => count + 1))
    setSession(opened)
    return () => {
      setSession(undefined)
      opened.close()
    }
  }, [key])
  function signOut(message = '') {
    sessionStorage.removeItem(STORED)
    setProblem(message)
    setKey(null)
  }
  async function signIn(given: string) {
    const tried = openSession(given, setProblem, () => {})
    const { data, error } = await tried.client.query(ViewerDocument, {})
    tried.close()
    if (!data?.viewer) return setProblem(error?.graphQLErrors[0]?.message ?? error?.message ?? 'This key is unknown.')
    sessionStorage.setItem(STORED, given)
    setProblem('')
    setKey(given)
  }
  if (!session) return key === null ? <SignIn problem={problem} onKey={signIn} /> : null
  return (
    <Provider value={session.client}>
      <ViewerBar onSignOut={() => signOut()} />
      <main>
        <Screen connection={connection} />
      </main>
    </Provider>
  )
}

function SignIn({ problem, onKey }: { problem: string; onKey: (key: string) => void }) {
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

function Screen({ connection }: { connection: number }) {
  const [path, setPath] = useState(location.hash)
  useEffect(() => {
    const follow = () => setPath(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const [, page, id] = path.split('/')
  if (page === 'jobs' && id) return <JobPage key={`${id} ${connection}`} id={id} />
  if (page === 'jobs') return <JobsPage />
  return <Overview connection={connection} />
}

render(<App />, document.body)
