// The keys of the page.

import type { VNode } from 'preact'
import { Dialog } from './dialog.tsx'
import { keyTable } from './keys.ts'

export const KeysDialog = ({ onClose }: { readonly onClose: () => void }): VNode => (
  <Dialog title="Keys" onClose={onClose}>
    <table class="keys">
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">What it does</th>
          <th scope="col">Where</th>
        </tr>
      </thead>
      <tbody>
        {keyTable.map(({ keys, what, where }) => (
          <tr key={keys}>
            <td>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </td>
            <td>{what}</td>
            <td>{where}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
)
