import { isOwner } from '../api/session.ts'
import { EndpointField } from './endpoint-field.tsx'
import { KeyField } from './key-field.tsx'

/** Chooses the endpoint and, for owners, the key. */
export const JobFields = () => (
  <>
    <EndpointField />
    {isOwner.value && <KeyField />}
  </>
)
