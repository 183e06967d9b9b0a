import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at, BASE } from '../api/base.ts'
import { returnPath } from './return-path.ts'

/** What the address of the sign-in shows once a user has signed in: the screen that was asked for, which takes its place. */
export function SignedIn() {
  const { query, route } = useLocation()
  useEffect(() => route(returnPath(query.to, location.origin, BASE) ?? at('/'), true), [])
  return null
}
