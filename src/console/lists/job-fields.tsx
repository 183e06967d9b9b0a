import { isOwner } from '../api/session.ts'
import { EndpointField } from './endpoint-field.tsx'
import { KeyField } from './key-field.tsx'

/** Of which endpoint the jobs are, and, for owners, with which key they were submitted. */
export const JobFields = () => (
  <>
    <EndpointField />
    {isOwner.value && <KeyField />}
  </>
)
