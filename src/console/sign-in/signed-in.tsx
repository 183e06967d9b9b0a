import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at, BASE } from '../api/base.ts'
import { returnPath } from './return-path.ts'

/** Replaces the sign-in's address by the wanted screen once a user has signed in. */
export function SignedIn() {
  const { query, route } = useLocation()
  useEffect(() => route(returnPath(query.to, location.origin, BASE) ?? at('/'), true), [])
  return null
}
